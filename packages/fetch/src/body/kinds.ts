/** What is used of a Node stream. */
export interface NodeReadable {
  readonly destroyed?: boolean;
  readonly readableEnded?: boolean;
  readonly writableEnded?: boolean;
  readonly complete?: boolean;
  on(event: string, listener: () => void): unknown;
  destroy?(error?: Error): unknown;
}

// All by their shape, since a body may come from another realm.

export function isWebReadable(body: unknown): body is ReadableStream<Uint8Array> {
  return typeof (body as ReadableStream | null | undefined)?.getReader === 'function';
}

export function isNodeReadable(body: unknown): body is NodeReadable {
  const { pipe, on } = (body ?? {}) as { pipe?: unknown; on?: unknown };
  return typeof pipe === 'function' && typeof on === 'function';
}

/**
 * Whether `fetch` reads this body as it sends it, and so can send it only once: web and Node streams, async
 * iterators.
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

/**
 * Tells the source of an upload that it is not read any more, so that its file or its connection is closed.
 * Does nothing to what is not a stream, and to a web stream that is being read.
 */
export function cancelUpload(body: unknown, reason?: unknown): void {
  if (isWebReadable(body)) {
    if (!body.locked) body.cancel(reason).catch(() => undefined);
  } else if (isNodeReadable(body)) {
    // Without the reason: an error that no one listens for would end the process.
    body.destroy?.();
  } else if (typeof (body as AsyncGenerator | null | undefined)?.return === 'function') {
    Promise.resolve((body as AsyncGenerator).return(undefined)).catch(() => undefined);
  }
}
