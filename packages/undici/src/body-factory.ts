import { Readable } from 'node:stream';
import { HookError } from '@ebb/core';
import type { Changes } from './changes.ts';

/** Calls a body factory for each attempt, and closes what an attempt left unread. */
export class BodyFactoryCalls {
  readonly replayable = true;
  readonly #make: () => unknown;
  #made: Readable | undefined;

  constructor(make: () => unknown) {
    this.#make = make;
  }

  /** @throws HookError when the factory throws, or gives what was read before */
  take(): Changes | Promise<Changes> {
    try {
      const made = this.#make();
      const later = typeof (made as PromiseLike<unknown> | undefined | null)?.then === 'function';
      return later ? Promise.resolve(made).then((body) => this.#keep(body), failed) : this.#keep(made);
    } catch (cause) {
      return failed(cause);
    }
  }

  #keep(body: unknown): Changes {
    if (typeof body === 'object' && body !== null && Readable.isDisturbed(body as Readable)) {
      failed(new TypeError('the stream was read before; a factory makes a new one each time'));
    }
    if (isNodeStream(body)) {
      this.#made = body;
      // undici tells of an error, but listens no longer than the attempt lasts.
      body.on('error', () => undefined);
    }
    return { body };
  }

  /** A stream that is not read to its end would keep its file open. */
  drop(): void {
    this.#made?.destroy();
    this.#made = undefined;
  }
}

function isNodeStream(body: unknown): body is Readable {
  const { pipe, destroy } = (body ?? {}) as Partial<Readable>;
  return typeof pipe === 'function' && typeof destroy === 'function';
}

function failed(cause: unknown): never {
  throw cause instanceof HookError ? cause : new HookError('body', cause);
}
