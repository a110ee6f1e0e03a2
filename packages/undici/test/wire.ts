import { PassThrough } from 'node:stream';
import type { Dispatcher } from 'undici';

type Handler = Required<Dispatcher.DispatchHandler>;
type Options = Dispatcher.DispatchOptions;

/** The controller of a connection, with a record of the calls to it. */
export class Connection implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  rawHeaders: Buffer[] = [];
  rawTrailers: Buffer[] = [];
  readonly calls: string[] = [];
  readonly #handler: Dispatcher.DispatchHandler;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  pause(): void {
    this.paused = true;
    this.calls.push('pause');
  }

  resume(): void {
    this.paused = false;
    this.calls.push('resume');
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.calls.push('abort');
    this.#handler.onResponseError?.(this, reason);
  }
}

/** One dispatch, whose events the test triggers. */
export class Dispatched {
  readonly options: Options;
  readonly handler: Handler;
  readonly connection: Connection;

  constructor(options: Options, handler: Dispatcher.DispatchHandler) {
    this.options = options;
    this.handler = handler as Handler;
    this.connection = new Connection(handler);
  }

  start(context: object | null = null): this {
    this.handler.onRequestStart(this.connection, context);
    return this;
  }

  head(status: number, headers: Record<string, string> = {}): this {
    this.handler.onResponseStart(this.connection, status, headers, 'message');
    return this;
  }

  /** Returns the socket of the upgrade. */
  upgrade(status: number): PassThrough {
    const socket = new PassThrough();
    this.handler.onRequestUpgrade(this.connection, status, {}, socket);
    return socket;
  }

  data(text: string): this {
    this.handler.onResponseData(this.connection, Buffer.from(text));
    return this;
  }

  end(trailers: Record<string, string> = {}): this {
    this.handler.onResponseEnd(this.connection, trailers);
    return this;
  }

  fail(error: Error): this {
    this.handler.onResponseError(this.connection, error);
    return this;
  }
}

/** A `dispatch` that records each attempt; the test triggers its events. */
export class Wire {
  readonly attempts: Dispatched[] = [];
  /** What `dispatch` returns. */
  returns = true;

  readonly dispatch = (options: Options, handler: Dispatcher.DispatchHandler): boolean => {
    this.attempts.push(new Dispatched(options, handler));
    return this.returns;
  };

  attempt(number: number): Dispatched {
    const attempt = this.attempts[number - 1];
    if (attempt === undefined) throw new Error(`there was no attempt ${number}`);
    return attempt;
  }
}

/** A handler that records the calls to it. */
export class HandlerSpy implements Dispatcher.DispatchHandler {
  readonly calls: string[] = [];
  controller: Dispatcher.DispatchController | undefined;
  context: unknown;
  error: unknown;
  controllers: Set<unknown> = new Set<unknown>();

  #record(controller: Dispatcher.DispatchController, text: string): void {
    this.controllers.add(controller);
    this.calls.push(text);
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.controller = controller;
    this.context = context;
    this.#record(controller, 'start');
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController, status: number): void {
    this.#record(controller, `upgrade ${status}`);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.#record(controller, `head ${status}`);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#record(controller, `data ${chunk}`);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: unknown): void {
    this.#record(controller, `end ${JSON.stringify(trailers)}`);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.error = error;
    this.#record(controller, `error ${error.message}`);
  }
}

/** A handler that records the calls to it, and then acts at one of them. */
export function acting(
  at: keyof HandlerSpy & `on${string}`,
  act: (controller: Dispatcher.DispatchController) => unknown,
): HandlerSpy {
  const spy = new HandlerSpy();
  const record = spy[at].bind(spy) as (...args: unknown[]) => void;
  return Object.assign(spy, {
    [at]: (controller: Dispatcher.DispatchController, ...others: unknown[]) => {
      record(controller, ...others);
      act(controller);
    },
  });
}
