import type { Changes } from '../changes.ts';

/** An iterable goes again only while nobody has asked it for its first chunk. */
export class SentOnce {
  replayable = true;
  readonly #body: AsyncIterable<unknown> | Iterable<unknown>;
  readonly #names: readonly string[];

  /** @param names the options that hold the body */
  constructor(body: AsyncIterable<unknown> | Iterable<unknown>, names: readonly string[]) {
    this.#body = body;
    this.#names = names;
  }

  take(): Changes {
    return Object.fromEntries(this.#names.map((name) => [name, this]));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    this.replayable = false;
    yield* this.#body;
  }

  /** Lets a generator that no one has started end. */
  unsent(): void {
    const { next, return: end } = this.#body as Partial<AsyncGenerator>;
    if (typeof next !== 'function' || typeof end !== 'function') return;
    new Promise((resolve) => resolve(end.call(this.#body as AsyncGenerator, undefined))).catch(
      () => undefined,
    );
  }
}

/**
 * Keeps what a generator yields while it is sent, so that each attempt sends it from the start. Several may
 * read at a time: one that was answered early may still be at it when the next begins.
 */
export class Recording {
  readonly replayable = true;
  readonly #source: AsyncGenerator<Uint8Array>;
  readonly #names: readonly string[];
  readonly #chunks: Uint8Array[] = [];
  #pulling: Promise<boolean> | undefined;

  /** @param names the options that hold the body */
  constructor(source: AsyncGenerator<Uint8Array>, names: readonly string[]) {
    this.#source = source;
    this.#names = names;
  }

  take(): Changes {
    return Object.fromEntries(this.#names.map((name) => [name, this]));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; at += 1) {
      const kept = this.#chunks[at] ?? ((await this.#pull()) ? this.#chunks[at] : undefined);
      if (kept === undefined) return;
      yield kept;
    }
  }

  /** Waits for the next chunk, and answers whether there is one. */
  #pull(): Promise<boolean> {
    this.#pulling ??= this.#source.next().then(({ done, value }) => {
      this.#pulling = undefined;
      if (done) return false;
      this.#chunks.push(value);
      return true;
    });
    return this.#pulling;
  }

  /** No attempt will read any more: lets fetch close what it reads from. */
  close(): void {
    this.#source.return(undefined).catch(() => undefined);
  }
}
