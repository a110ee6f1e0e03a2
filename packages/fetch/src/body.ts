/** A `Request`'s body up to this size is kept for a retry. */
const MOST_KEPT_BYTES = 1024 * 1024;

/**
 * Whether `fetch` reads this body as it sends it, and so can send it only once: web and Node streams, async
 * iterators. Told by shape, since it may come from another realm.
 */
export function isOnce(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return 'getReader' in body || 'pipe' in body || Symbol.asyncIterator in body;
}

/** How many bytes a buffer holds; a buffer that was moved to a worker in the meantime holds none. */
export function bufferBytes(body: unknown): number | undefined {
  const length = typeof body === 'object' && body !== null ? (body as ArrayBufferView).byteLength : undefined;
  return typeof length === 'number' ? length : undefined;
}

/** A copy of a `Request`'s body, made as it is sent. */
export interface KeptBody {
  /** The whole body; `undefined` while it is not read to its end, or when it is too long to keep. */
  readonly whole: Blob | undefined;
}

/**
 * Reads along while a `Request` is sent. Nothing tells from outside whether a request was made of a string or
 * of an endless stream, so what is kept is bounded: past the bound the copy is dropped, and the upload goes
 * on as it would without it.
 */
export function keepBody(request: Request): KeptBody {
  const kept: { whole: Blob | undefined } = { whole: undefined };
  const reader = request.clone().body?.getReader();
  // The upload itself fails with the same error, and tells of it.
  if (reader !== undefined)
    readAll(reader).then(
      (whole) => Object.assign(kept, { whole }),
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
    if (bytes > MOST_KEPT_BYTES) {
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    parts.push(part.value);
  }
  return new Blob(parts);
}
