import { inspect } from 'node:util';
import type { Dispatcher } from 'undici';

/** The calls to a handler, the events of its dispatcher and the errors thrown, in order. */
export type Log = string[];

const EVENTS = ['connect', 'disconnect', 'connectionError', 'drain', 'error'] as const;

export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `${typeof error} ${String(error)}`;
  const { name, code, message } = error as Error & { readonly code?: unknown };
  const kind = error.constructor.name === 'Error' || code === undefined ? '' : ` ${String(code)}`;
  // The port differs from run to run.
  return `${error.constructor.name} ${name}${kind}: ${message.replace(/:\d+/g, ':port').split('\n')[0]}`;
}

export function watchEvents(dispatcher: Dispatcher, log: Log): void {
  for (const event of EVENTS) {
    dispatcher.on(event as 'drain', (...args: readonly unknown[]) => {
      const error = args.find((arg) => arg instanceof Error);
      log.push(`event ${event}${error === undefined ? '' : ` ${errorText(error)}`}`);
    });
  }
}

type Method = keyof Dispatcher.DispatchHandler;
/** What a handler does in its methods, besides logging. */
export type Actions = Partial<Record<Method, (controller: Dispatcher.DispatchController) => unknown>>;

/** A handler that logs each call to it with the state of its controller, and runs `actions`. */
export class LoggingHandler implements Required<Dispatcher.DispatchHandler> {
  /** Resolves when the handler has got the end of the response or an error. */
  readonly over: Promise<void>;
  controller: Dispatcher.DispatchController | null = null;
  readonly #log: Log;
  readonly #name: string;
  readonly #actions: Actions;
  #end: () => void = () => undefined;
  #dataAt = -1;

  constructor(log: Log, actions: Actions = {}, name = '') {
    this.#log = log;
    this.#actions = actions;
    this.#name = name;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  #logCall(method: Method, controller: Dispatcher.DispatchController | null, text = ''): void {
    const { aborted, paused, reason } = controller ?? {};
    const state = controller
      ? `${aborted ? ` aborted(${reason ? errorText(reason) : String(reason)})` : ''}${paused ? ' paused' : ''}`
      : ' without controller';
    this.#log.push(`${this.#name}${method}${text}${state}`);
    this.#actions[method]?.(controller as Dispatcher.DispatchController);
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: object): void {
    this.controller = controller;
    // A context has only what interceptors put there.
    this.#logCall('onRequestStart', controller, ` ${inspect(Object.keys(context ?? {}))}`);
  }

  onBodySent(chunk: Buffer | string): void {
    this.#logCall('onBodySent', this.controller, ` ${chunk}`);
  }

  onRequestSent(): void {
    this.#logCall('onRequestSent', this.controller);
  }

  onResponseStarted(): void {
    // Not compared: ebb passes this on only once it has the headers. The order is the same.
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController, status: number, headers: unknown): void {
    this.#logCall('onRequestUpgrade', controller, ` ${status} ${inspect(headers, { breakLength: 1e4 })}`);
    this.#end();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, unknown>,
    message?: string,
  ): void {
    const { date: _, ...rest } = headers;
    const raw = (controller?.rawHeaders as unknown[] | null)?.length;
    this.#logCall('onResponseStart', controller, ` ${status} ${message} ${JSON.stringify(rest)} ${raw}`);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // Chunks are joined: how a body is split into chunks depends on the kernel.
    if (this.#dataAt === this.#log.length && !this.#actions.onResponseData) {
      this.#log[this.#dataAt - 1] += String(chunk);
      return;
    }
    this.#logCall('onResponseData', controller, ` ${chunk}`);
    this.#dataAt = this.#log.length;
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: unknown): void {
    this.#logCall('onResponseEnd', controller, ` ${JSON.stringify(trailers)}`);
    this.#end();
  }

  onResponseError(controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#end();
    this.#logCall('onResponseError', controller, ` ${errorText(error)}`);
  }
}

/** Dispatches, and logs what that returns or throws. */
export function dispatch(dispatcher: Dispatcher, log: Log, options: unknown, handler: unknown): void {
  try {
    const more = dispatcher.dispatch(options as Dispatcher.DispatchOptions, handler as LoggingHandler);
    log.push(`dispatch returned ${more}`);
  } catch (error) {
    log.push(`dispatch threw ${errorText(error)}`);
  }
}

/** The logs of the scenarios that run now. Concurrent scenarios log each other's uncaught errors; none has any. */
const running = new Set<Log>();
const UNCAUGHT = ['uncaughtException', 'unhandledRejection'] as const;

/** Runs, and logs errors that reach the process in the meantime. */
export async function withUncaught(log: Log, run: () => Promise<unknown>): Promise<void> {
  if (running.size === 0) listenForUncaught();
  running.add(log);
  try {
    await run();
  } finally {
    running.delete(log);
    if (running.size === 0) stopListening();
  }
}

let stopListening = (): void => {};

function listenForUncaught(): void {
  const before = UNCAUGHT.map((event) => [event, process.listeners(event as 'uncaughtException')] as const);
  for (const event of UNCAUGHT) {
    process.removeAllListeners(event);
    process.on(event, (error: unknown) => {
      for (const log of running) log.push(`${event} ${errorText(error)}`);
    });
  }
  stopListening = () => {
    for (const [event, listeners] of before) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener as () => void);
    }
  };
}
