import { Readable } from 'node:stream';
import { HookError } from '@ebb/core';
import type { DispatchChanges, RequestBody } from './request-body.ts';

/** Calls a body factory for each attempt, and closes bodies that an attempt did not read to the end. */
export class BodyFactoryCalls implements RequestBody {
  readonly replayable = true;
  readonly #make: () => unknown;
  #made: DispatchChanges | undefined;

  constructor(make: () => unknown) {
    this.#make = make;
  }

  /**
   * Calls the factory. A body that comes when it is not needed any more is closed.
   *
   * @throws HookError, as a rejection, if the factory throws, or returns a stream that was read before
   */
  make = async (state: { readonly over: boolean }): Promise<void> => {
    this.unsent();
    let made: DispatchChanges;
    try {
      made = checked(await this.#make());
    } catch (cause) {
      failed(cause);
    }
    if (state.over) this.release(made);
    else this.#made = made;
  };

  take(): DispatchChanges {
    const made = this.#made ?? { body: null };
    this.#made = undefined;
    return made;
  }

  /** Closes a body that was made for an attempt that is not sent. */
  unsent(): void {
    if (this.#made !== undefined) this.release(this.take());
  }

  close(): void {
    this.unsent();
  }

  /** A stream that is not read to its end would keep its file open. */
  release({ body }: DispatchChanges): void {
    if (typeof body !== 'object' || body === null) return;
    if (isNodeStream(body)) body.destroy();
    else if (body instanceof WebBody) body.cancel();
    else finish(body as Partial<AsyncGenerator>);
  }
}

/** A web stream that can be cancelled while undici reads it and waits for the next chunk. */
class WebBody {
  readonly #reader: ReadableStreamDefaultReader<unknown>;

  constructor(stream: ReadableStream<unknown>) {
    this.#reader = stream.getReader();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    try {
      for (let part = await this.#reader.read(); !part.done; part = await this.#reader.read())
        yield part.value;
    } finally {
      this.cancel();
    }
  }

  cancel(): void {
    this.#reader.cancel().catch(() => undefined);
  }
}

/** Runs the `finally` blocks of a generator. */
function finish(body: Partial<AsyncGenerator>): void {
  if (typeof body.next !== 'function' || typeof body.return !== 'function') return;
  // Not awaited: a generator that is awaiting something runs them only after that.
  new Promise((resolve) => resolve(body.return?.(undefined))).catch(() => undefined);
}

function checked(body: unknown): DispatchChanges {
  if (typeof body === 'object' && body !== null && Readable.isDisturbed(body as Readable)) {
    failed(new TypeError('the stream was read before; a factory must make a new one for each attempt'));
  }
  // undici reports an error of the stream, but stops listening when the attempt ends.
  if (isNodeStream(body)) body.on('error', () => undefined);
  return { body: body instanceof ReadableStream ? new WebBody(body) : body };
}

function isNodeStream(body: unknown): body is Readable {
  const { pipe, destroy } = (body ?? {}) as Partial<Readable>;
  return typeof pipe === 'function' && typeof destroy === 'function';
}

function failed(cause: unknown): never {
  throw cause instanceof HookError ? cause : new HookError('body', cause);
}
