/** A `Request`'s body up to this size is kept for a retry. */
const MOST_KEPT_BYTES = 1024 * 1024;

/** And in this many parts: a source that is faster than the upload is read ahead of it, and its parts queue up. */
const MOST_KEPT_PARTS = 4096;

/** A copy of a `Request`'s body, made as it is sent. */
export interface KeptBody {
  /** The whole body; `undefined` while it is not read to its end, or when it is too long to keep. */
  readonly whole: Blob | undefined;
  /** Ends the copying, so that an upload that is cancelled is cancelled at its source. */
  stop(): void;
}

/**
 * Reads along while a `Request` is sent. Nothing tells from outside whether a request was made of a string or
 * of an endless stream, so what is kept is bounded: past the bound the copy is dropped, and the upload goes
 * on as it would without it.
 */
export function keepBody(request: Request): KeptBody {
  const reader = request.clone().body?.getReader();
  const stop = (): void => void reader?.cancel().catch(() => undefined);
  const kept: { whole: Blob | undefined; stop(): void } = { whole: undefined, stop };
  // The upload itself fails with the same error, and tells of it.
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
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength;
    if (bytes > MOST_KEPT_BYTES || parts.length === MOST_KEPT_PARTS) {
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    parts.push(part.value);
  }
  return new Blob(parts);
}
