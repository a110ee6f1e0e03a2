import { Readable } from 'node:stream';
import { HookError } from '@ebb/core';
import type { Changes } from '../changes.ts';

/** Calls a body factory for each attempt, and closes what an attempt left unread. */
export class BodyFactoryCalls {
  readonly replayable = true;
  readonly #make: () => unknown;

  constructor(make: () => unknown) {
    this.#make = make;
  }

  /** @throws HookError when the factory throws, or gives what was read before */
  take(): Changes | Promise<Changes> {
    try {
      const made = this.#make();
      const later = typeof (made as PromiseLike<unknown> | undefined | null)?.then === 'function';
      return later ? Promise.resolve(made).then(checked).catch(failed) : checked(made);
    } catch (cause) {
      return failed(cause);
    }
  }

  /** What is not read to its end would keep its file open. */
  letGo({ body }: Changes): void {
    if (typeof body !== 'object' || body === null) return;
    if (isNodeStream(body)) body.destroy();
    else if (body instanceof WebBody) body.cancel();
    else finish(body as Partial<AsyncGenerator>);
  }
}

/** A web stream that can be let go of while undici reads it, and waits for its next chunk. */
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

/** Lets a generator run its `finally`. */
function finish(body: Partial<AsyncGenerator>): void {
  if (typeof body.next !== 'function' || typeof body.return !== 'function') return;
  // Not awaited: one that is waiting for something else ends after that.
  new Promise((resolve) => resolve(body.return?.(undefined))).catch(() => undefined);
}

function checked(body: unknown): Changes {
  if (typeof body === 'object' && body !== null && Readable.isDisturbed(body as Readable)) {
    failed(new TypeError('the stream was read before; a factory makes a new one each time'));
  }
  // undici tells of an error, but listens no longer than the attempt lasts.
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
