/**
 * Whether a body is read as it is sent, and so can be sent only once: Node and web streams, the `form-data`
 * package, iterators. Told by shape, since it may come from another realm or another package.
 */
export function isOnce(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return 'pipe' in data || 'getReader' in data || Symbol.asyncIterator in data || 'next' in data;
}
