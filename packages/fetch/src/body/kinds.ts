import { isNodeReadable, isWebReadable } from '@ebb/core/adapter';

/** True for a body that `fetch` can send only once: web and Node streams, async iterators. */
export function isOnce(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return 'getReader' in body || 'pipe' in body || Symbol.asyncIterator in body;
}

/**
 * Closes the source of an upload, such as a file. Does nothing to a body that is not a stream or iterator, and to a web
 * stream that is being read.
 */
export function cancelUpload(body: unknown, reason?: unknown): void {
  if (isWebReadable(body)) {
    if (!body.locked) body.cancel(reason).catch(() => undefined);
  } else if (isNodeReadable(body)) {
    // Without the reason: an error without a listener would end the process.
    body.destroy?.();
  } else if (typeof (body as AsyncGenerator | null | undefined)?.return === 'function') {
    Promise.resolve((body as AsyncGenerator).return(undefined)).catch(() => undefined);
  }
}
