import { inspect } from 'node:util';
import type { Dispatcher } from 'undici';

/** What a handler was told, what its dispatcher emitted, and what was thrown where, in order. */
export type Log = string[];

const EVENTS = ['connect', 'disconnect', 'connectionError', 'drain', 'error'] as const;

export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `${typeof error} ${String(error)}`;
  const { name, code, message } = error as Error & { readonly code?: unknown };
  const kind = error.constructor.name === 'Error' || code === undefined ? '' : ` ${String(code)}`;
  // Each run has a port of its own.
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
/** What a handler does when a method of it is called, beside writing it down. */
export type Acts = Partial<Record<Method, (controller: Dispatcher.DispatchController) => unknown>>;

/** A handler that writes down all that it is told, with the state of its controller, and acts as it is asked to. */
export class Witness implements Required<Dispatcher.DispatchHandler> {
  /** Settles when the request is over for it. */
  readonly over: Promise<void>;
  controller: Dispatcher.DispatchController | null = null;
  readonly #log: Log;
  readonly #name: string;
  readonly #acts: Acts;
  #end: () => void = () => undefined;
  #dataAt = -1;

  constructor(log: Log, acts: Acts = {}, name = '') {
    this.#log = log;
    this.#acts = acts;
    this.#name = name;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  #told(method: Method, controller: Dispatcher.DispatchController | null, text = ''): void {
    const { aborted, paused, reason } = controller ?? {};
    const state = controller
      ? `${aborted ? ` aborted(${reason ? errorText(reason) : String(reason)})` : ''}${paused ? ' paused' : ''}`
      : ' without controller';
    this.#log.push(`${this.#name}${method}${text}${state}`);
    this.#acts[method]?.(controller as Dispatcher.DispatchController);
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: object): void {
    this.controller = controller;
    // Nothing stands in a context but what an interceptor puts there.
    this.#told('onRequestStart', controller, ` ${inspect(Object.keys(context ?? {}))}`);
  }

  onBodySent(chunk: Buffer | string): void {
    this.#told('onBodySent', this.controller, ` ${chunk}`);
  }

  onRequestSent(): void {
    this.#told('onRequestSent', this.controller);
  }

  onResponseStarted(): void {
    // Before the headers are known ebb cannot tell for whom they are; the order is the same.
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController, status: number, headers: unknown): void {
    this.#told('onRequestUpgrade', controller, ` ${status} ${inspect(headers, { breakLength: 1e4 })}`);
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
    this.#told('onResponseStart', controller, ` ${status} ${message} ${JSON.stringify(rest)} ${raw}`);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // How a body is cut into chunks is up to the kernel.
    if (this.#dataAt === this.#log.length && !this.#acts.onResponseData) {
      this.#log[this.#dataAt - 1] += String(chunk);
      return;
    }
    this.#told('onResponseData', controller, ` ${chunk}`);
    this.#dataAt = this.#log.length;
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: unknown): void {
    this.#told('onResponseEnd', controller, ` ${JSON.stringify(trailers)}`);
    this.#end();
  }

  onResponseError(controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#end();
    this.#told('onResponseError', controller, ` ${errorText(error)}`);
  }
}

/** Dispatches, and writes down what that returns or throws. */
export function dispatch(dispatcher: Dispatcher, log: Log, options: unknown, handler: unknown): void {
  try {
    const more = dispatcher.dispatch(options as Dispatcher.DispatchOptions, handler as Witness);
    log.push(`dispatch returned ${more}`);
  } catch (error) {
    log.push(`dispatch threw ${errorText(error)}`);
  }
}

/** The logs of what runs now. Rows that run side by side see each other's, which none of them has. */
const running = new Set<Log>();
const UNCAUGHT = ['uncaughtException', 'unhandledRejection'] as const;

/** Runs, and writes down what reaches the process in the meantime. */
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
