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

/** The bytes of a `Request`'s body, kept as they are sent. */
export interface KeptBody {
  /** The whole body; `undefined` while it is not read to its end, or when it is too long to keep. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Reads along while a `Request` is sent. Nothing tells from outside whether a request was made of a string or
 * of an endless stream, so what is kept is bounded: past the bound the copy is dropped, and the upload goes
 * on as it would without it.
 */
export function keepBody(request: Request): KeptBody {
  const kept: { bytes: Uint8Array<ArrayBuffer> | undefined } = { bytes: undefined };
  const reader = request.clone().body?.getReader();
  if (reader !== undefined) void readAll(reader).then((bytes) => Object.assign(kept, { bytes }));
  return kept;
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.byteLength;
      if (length > MOST_KEPT_BYTES) {
        void reader.cancel().catch(() => undefined);
        return undefined;
      }
      parts.push(part.value);
    }
  } catch {
    // The upload fails with the same error, and tells of it.
    return undefined;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}
