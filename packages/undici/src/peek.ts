import { pipeline, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { BodyWatcher, Peek } from '@ebb/core/adapter';
import type { Attempt, Watcher } from './attempt.ts';
import type { BufferedResponse } from './buffered-response.ts';
import { type ResponseHead, responseHeader } from './headers.ts';

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

/** `undefined` for a body that is not encoded, or cannot be decoded, as one of several codings. */
function decoderOf({ status, headers }: ResponseHead): MakeDecoder | undefined {
  // A part of an encoded body cannot be decoded without what comes before.
  if (status === 206) return undefined;
  return DECODERS.get(responseHeader(headers, 'content-encoding')?.trim().toLowerCase() ?? '');
}

/** Opens the body of a held response for inspectors. The handler still gets the encoded bytes. */
export function peekAt(attempt: Attempt, held: BufferedResponse): Peek {
  const make = decoderOf(held.head);
  if (make === undefined) {
    return {
      read: () => held.read(),
      watch: (watcher, ended) => watch(attempt, held, { part: (chunk) => watcher.part(chunk), ended }),
      stop: () => held.stop(),
    };
  }
  let parts: AsyncGenerator<Uint8Array> | undefined;
  return {
    read() {
      parts ??= decode(held, make);
      return parts.next().then(({ value }) => value);
    },
    watch: (watcher, ended) => watch(attempt, held, watchDecoded(make, watcher, ended)),
    stop() {
      held.stop();
      parts?.return(undefined).catch(() => undefined);
    },
  };
}

/** Watches what an attempt brings, from its first chunk. */
function watch(attempt: Attempt, held: BufferedResponse, watcher: Watcher): void {
  for (const chunk of held.chunks) watcher.part(chunk);
  if (held.isOver) watcher.ended();
  else attempt.watcher = watcher;
}

/** Watches what is decoded of a body, until it breaks or proves to be not encoded as it says. */
function watchDecoded(make: MakeDecoder, watcher: BodyWatcher, ended: () => unknown): Watcher {
  let decoder: Transform | undefined;
  return {
    part(chunk: Uint8Array) {
      decoder ??= make(chunk)
        .on('data', (part: Buffer) => watcher.part(part))
        .on('error', () => undefined)
        .on('close', ended);
      decoder.write(chunk);
    },
    ended: () => (decoder === undefined ? ended() : decoder.end()),
  };
}

async function* decode(held: BufferedResponse, make: MakeDecoder): AsyncGenerator<Uint8Array> {
  const encoded = chunksOf(held);
  const first = await encoded.next();
  // A response to a HEAD has no body, which is not the same as an empty one that is encoded.
  if (first.done) return;
  const decoder = make(first.value);
  decoder.write(first.value);
  // Its errors also come out of the decoder.
  pipeline(encoded, decoder, () => undefined);
  yield* decoder as AsyncIterable<Uint8Array>;
}

async function* chunksOf(held: BufferedResponse): AsyncGenerator<Uint8Array> {
  for (let chunk = await held.read(); chunk !== undefined; chunk = await held.read()) yield chunk;
}
