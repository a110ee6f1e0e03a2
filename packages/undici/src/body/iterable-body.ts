import { type DispatchChanges, finish, type RequestBody } from './request-body.ts';

/** @param names the options that hold the body */
function carried(body: object, names: readonly string[]): DispatchChanges {
  return Object.fromEntries(names.map((name) => [name, body]));
}

/** An iterable. It is sent again only if its first chunk was never requested. */
export function sentOnce(body: AsyncIterable<unknown>, names: readonly string[]): RequestBody {
  const once = {
    replayable: true,
    take: () => carried(once, names),
    async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
      once.replayable = false;
      yield* body;
    },
    // A generator that was never started.
    unsent: () => finish(body),
  };
  return once;
}

/**
 * Keeps the chunks of a generator, so that each attempt sends it from the start. Several attempts may read at the same
 * time: an attempt whose response came early may still be uploading when the next one begins.
 */
export function recording(source: AsyncGenerator<Uint8Array>, names: readonly string[]): RequestBody {
  const chunks: Uint8Array[] = [];
  let pulling: Promise<void> | undefined;
  /** Waits for the next chunk, or the end. */
  const pull = (): Promise<void> => {
    pulling ??= source.next().then(({ done, value }) => {
      pulling = undefined;
      if (!done) chunks.push(value);
    });
    return pulling;
  };
  const recorded = {
    replayable: true,
    take: () => carried(recorded, names),
    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
      for (let at = 0; ; at += 1) {
        if (at === chunks.length) await pull();
        const chunk = chunks[at];
        if (chunk === undefined) return;
        yield chunk;
      }
    },
    // fetch closes the source that it reads from.
    close: () => finish(source),
  };
  return recorded;
}
