import { PassThrough, pipeline, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { BodyWatcher, Peek } from '@ebb/core/adapter';
import type { Attempt, Watcher } from './attempt.ts';
import { type ResponseHead, responseHeader } from './headers.ts';
import type { Held } from './held.ts';

/** Codings over codings are rare, and cost memory each. */
const MOST_CODINGS = 5;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
/** Also reads a body that ends early, as browsers and curl do. */
const TOLERANT: zlib.ZlibOptions = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };

/** Makes a decoder, given the first chunk. */
type MakeDecoder = (first: Uint8Array) => Transform;

/** By content coding. Source: RFC 9110 §8.4.1, RFC 7932 and RFC 8878. */
const DECODERS: ReadonlyMap<string, MakeDecoder> = new Map<string, MakeDecoder>([
  ['gzip', () => zlib.createGunzip(TOLERANT)],
  ['x-gzip', () => zlib.createGunzip(TOLERANT)],
  // Some servers leave the zlib header out. Its first byte ends in 8, as no usual deflate data begins.
  ['deflate', ([first = 0]) => ((first & 0xf) === 8 ? zlib.createInflate : zlib.createInflateRaw)(TOLERANT)],
  [
    'br',
    () => zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }),
  ],
  // From Node 22.15 on.
  ...(typeof zlib.createZstdDecompress === 'function'
    ? [['zstd', () => zlib.createZstdDecompress()] as const]
    : []),
]);

/** What decodes a body, in order; empty if it is not encoded, or cannot be decoded. */
function decodersOf({ status, headers }: ResponseHead): readonly MakeDecoder[] {
  const field = responseHeader(headers, 'content-encoding');
  // A part of an encoded body cannot be decoded without what comes before.
  if (field === undefined || status === 206) return [];
  const codings = field
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const decoders = codings.reverse().map((coding) => DECODERS.get(coding));
  const isKnown = (decoder: MakeDecoder | undefined): decoder is MakeDecoder => decoder !== undefined;
  return decoders.length <= MOST_CODINGS && decoders.every(isKnown) ? decoders : [];
}

/** Opens the body of a held response for a look. What the handler gets stays encoded. */
export function peekAt(attempt: Attempt, held: Held): Peek {
  const decoders = decodersOf(held.head);
  const streams: Transform[] = [];
  const decoded = (parts: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
    decoders.reduce((encoded, make) => decode(encoded, make, streams), parts);
  let parts: AsyncIterator<Uint8Array> | undefined;
  return {
    read() {
      if (decoders.length === 0) return held.read();
      parts ??= decoded(chunksOf(held))[Symbol.asyncIterator]();
      return parts.next().then(({ value }) => value);
    },
    watch(watcher, ended) {
      if (decoders.length === 0) {
        watch(attempt, held, { part: (chunk) => watcher.part(chunk), ended });
        return;
      }
      const encoded = new PassThrough();
      watch(attempt, held, { part: (chunk) => encoded.write(chunk), ended: () => encoded.end() });
      void watchDecoded(decoded(encoded), watcher, () => {
        encoded.destroy();
        ended();
      });
    },
    stop() {
      held.stop();
      for (const stream of streams) stream.destroy();
    },
  };
}

/** Watches what an attempt brings, from its first chunk. */
function watch(attempt: Attempt, held: Held, watcher: Watcher): void {
  for (const chunk of held.chunks) watcher.part(chunk);
  if (held.isOver) watcher.ended();
  else attempt.watcher = watcher;
}

async function watchDecoded(
  parts: AsyncIterable<Uint8Array>,
  watcher: BodyWatcher,
  ended: () => void,
): Promise<void> {
  try {
    for await (const part of parts) watcher.part(part);
  } catch {
    // A body that is broken, or not encoded as it says.
  }
  ended();
}

async function* decode(
  encoded: AsyncIterable<Uint8Array>,
  make: MakeDecoder,
  streams: Transform[],
): AsyncGenerator<Uint8Array> {
  const parts = encoded[Symbol.asyncIterator]();
  const first = await parts.next();
  // A response to a HEAD has no body, which is not the same as an empty one that is encoded.
  if (first.done) return;
  const decoder = make(first.value);
  streams.push(decoder);
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => parts };
  }
  // Its errors also come out of the decoder.
  pipeline(all, decoder, () => undefined);
  yield* decoder as AsyncIterable<Uint8Array>;
}

async function* chunksOf(held: Held): AsyncGenerator<Uint8Array> {
  for (let chunk = await held.read(); chunk !== undefined; chunk = await held.read()) yield chunk;
}
