/** A request body up to this size is kept in memory for a retry: 1 MiB, as gRPC keeps for a call. */
export const MOST_KEPT_BYTES: number = 1024 * 1024;

/** How much of a response body is read before anyone reads it, so that the end of a short one is seen: 64 KiB. */
export const MOST_READ_AHEAD_BYTES: number = 64 * 1024;

/** The length of a buffer, in bytes; `undefined` for anything else. A buffer that was transferred to a worker has 0. */
export function bufferBytes(body: unknown): number | undefined {
  const length = typeof body === 'object' && body !== null ? (body as ArrayBufferView).byteLength : undefined;
  return typeof length === 'number' ? length : undefined;
}
