import type { Dispatcher } from 'undici';

type Handler = Required<Dispatcher.DispatchHandler>;
type Options = Dispatcher.DispatchOptions;

/** A connection's controller as undici makes it, and what was asked of it. */
export class Connection implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  rawHeaders: Buffer[] = [];
  rawTrailers: Buffer[] = [];
  readonly asked: string[] = [];
  readonly #handler: Dispatcher.DispatchHandler;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  pause(): void {
    this.paused = true;
    this.asked.push('pause');
  }

  resume(): void {
    this.paused = false;
    this.asked.push('resume');
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.asked.push('abort');
    this.#handler.onResponseError?.(this, reason);
  }
}

/** One dispatch, to be played by a test. */
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

/** A `dispatch` that leaves it to the test what becomes of each attempt. */
export class Wire {
  readonly attempts: Dispatched[] = [];
  answer = true;

  readonly dispatch = (options: Options, handler: Dispatcher.DispatchHandler): boolean => {
    this.attempts.push(new Dispatched(options, handler));
    return this.answer;
  };

  attempt(number: number): Dispatched {
    const attempt = this.attempts[number - 1];
    if (attempt === undefined) throw new Error(`there was no attempt ${number}`);
    return attempt;
  }
}

/** A handler that writes down what it is told. */
export class Heard implements Dispatcher.DispatchHandler {
  readonly told: string[] = [];
  controller: Dispatcher.DispatchController | undefined;
  context: unknown;
  error: unknown;
  controllers: Set<unknown> = new Set<unknown>();

  #tell(controller: Dispatcher.DispatchController, text: string): void {
    this.controllers.add(controller);
    this.told.push(text);
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.controller = controller;
    this.context = context;
    this.#tell(controller, 'start');
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController, status: number): void {
    this.#tell(controller, `upgrade ${status}`);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.#tell(controller, `head ${status}`);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#tell(controller, `data ${chunk}`);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: unknown): void {
    this.#tell(controller, `end ${JSON.stringify(trailers)}`);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.error = error;
    this.#tell(controller, `error ${error.message}`);
  }
}
