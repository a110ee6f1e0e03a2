/**
 * Whether a body is read as it is sent, and so can be sent only once: Node and web streams, the `form-data`
 * package, iterators. Told by shape, since it may come from another realm or another package.
 */
export function isOnce(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return 'pipe' in data || 'getReader' in data || Symbol.asyncIterator in data || 'next' in data;
}

/** As much of a Node stream as is needed here. */
export interface NodeReadable {
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  on(event: 'data', listener: (part: { length: number }) => void): unknown;
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown;
  destroy(): unknown;
}

export function isNodeReadable(data: unknown): data is NodeReadable {
  return typeof data === 'object' && data !== null && 'pipe' in data && 'destroy' in data;
}

export function isWebReadable(data: unknown): data is ReadableStream<Uint8Array> {
  return typeof data === 'object' && data !== null && 'getReader' in data;
}
