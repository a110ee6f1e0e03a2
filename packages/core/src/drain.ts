import { type Clock, nextTurn } from './clock.ts';

/** A body longer than this that nobody will see is cheaper to break off, connection and all, than to read. */
export const MOST_DISCARDED_BYTES: number = 256 * 1024;

/** A body that nobody will see and that has not ended by then may never end. */
export const LONGEST_DISCARD_MS = 1_000;

/**
 * Reads a stream that nobody will see to its end, so that its connection can be used again; breaks it off
 * where that takes too many bytes, too long, or the caller aborts. Never rejects.
 *
 * @param contentLength what the response says of its length; anything but a number says nothing
 */
export async function drain(
  stream: ReadableStream<Uint8Array> | null,
  contentLength: string | null | undefined,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  if (stream === null || stream.locked) return;
  const reader = stream.getReader();
  // Not awaited: to cancel one of two branches of a stream waits for the other.
  const breakOff = (): void => void reader.cancel().catch(() => undefined);
  if (Number(contentLength) > MOST_DISCARDED_BYTES || signal?.aborted) return breakOff();
  const callOff = clock.schedule(breakOff, LONGEST_DISCARD_MS);
  signal?.addEventListener('abort', breakOff, { once: true });
  try {
    let bytes = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.byteLength;
      if (bytes > MOST_DISCARDED_BYTES) breakOff();
    }
  } catch {
    // The connection broke: there is nothing left to save.
  } finally {
    callOff();
    signal?.removeEventListener('abort', breakOff);
  }
  await nextTurn();
}
