import { MOST_KEPT_BYTES } from '@ebb/core/adapter';

/** A body is kept up to this many chunks: they queue up if the source is faster than the upload. */
const MOST_KEPT_CHUNKS = 4096;

/** A copy of a `Request`'s body, made as it is sent. */
export interface KeptBody {
  /** The whole body; `undefined` until it has been read to its end, and if it is too long to keep. */
  readonly whole: Blob | undefined;
  /** Ends the copying. Without this, cancelling the upload would not cancel its source. */
  stop(): void;
}

/**
 * Copies the body of a `Request` while it is sent. A `Request` does not reveal whether its body is a string or an endless
 * stream, so the copy is bounded: past the bound it is dropped, and the upload goes on without it.
 */
export function keepBody(request: Request): KeptBody {
  const reader = request.clone().body?.getReader();
  const stop = (): void => void reader?.cancel().catch(() => undefined);
  const kept: { whole: Blob | undefined; stop(): void } = { whole: undefined, stop };
  // The upload fails with the same error.
  if (reader !== undefined)
    readAll(reader).then(
      (whole) => {
        kept.whole = whole;
      },
      () => undefined,
    );
  return kept;
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): Promise<Blob | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    bytes += chunk.value.byteLength;
    if (bytes > MOST_KEPT_BYTES || chunks.length === MOST_KEPT_CHUNKS) {
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    chunks.push(chunk.value);
  }
  return new Blob(chunks);
}
