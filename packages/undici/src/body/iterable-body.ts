import type { DispatchChanges, RequestBody } from './request-body.ts';

/** An iterable. It is sent again only if its first chunk was never requested. */
export class SentOnce implements RequestBody {
  replayable = true;
  readonly #body: AsyncIterable<unknown> | Iterable<unknown>;
  readonly #names: readonly string[];

  /** @param names the options that hold the body */
  constructor(body: AsyncIterable<unknown> | Iterable<unknown>, names: readonly string[]) {
    this.#body = body;
    this.#names = names;
  }

  take(): DispatchChanges {
    return Object.fromEntries(this.#names.map((name) => [name, this]));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    this.replayable = false;
    yield* this.#body;
  }

  /** Ends a generator that was never started. */
  unsent(): void {
    const { next, return: end } = this.#body as Partial<AsyncGenerator>;
    if (typeof next !== 'function' || typeof end !== 'function') return;
    new Promise((resolve) => resolve(end.call(this.#body as AsyncGenerator, undefined))).catch(
      () => undefined,
    );
  }
}

/**
 * Keeps the chunks of a generator, so that each attempt sends it from the start. Several attempts may read at the same
 * time: an attempt whose response came early may still be uploading when the next one begins.
 */
export class Recording implements RequestBody {
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

  take(): DispatchChanges {
    return Object.fromEntries(this.#names.map((name) => [name, this]));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; at += 1) {
      const kept = this.#chunks[at] ?? ((await this.#pull()) ? this.#chunks[at] : undefined);
      if (kept === undefined) return;
      yield kept;
    }
  }

  /** Waits for the next chunk; false at the end. */
  #pull(): Promise<boolean> {
    this.#pulling ??= this.#source.next().then(({ done, value }) => {
      this.#pulling = undefined;
      if (done) return false;
      this.#chunks.push(value);
      return true;
    });
    return this.#pulling;
  }

  /** Lets fetch close the source that it reads from. */
  close(): void {
    this.#source.return(undefined).catch(() => undefined);
  }
}
