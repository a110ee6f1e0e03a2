import { type Clock, nextTurn } from '@ebb/core';

/** A body longer than this is cheaper to break off, connection and all, than to read. */
const MOST_BYTES = 256 * 1024;
/** A body that has not ended by then may never end. */
const LONGEST_MS = 1_000;

/**
 * Reads a response that nobody will see to its end, so that its connection can be used again; breaks it off
 * where that takes too many bytes, too long, or the caller aborts. Never rejects.
 */
export async function drain(response: Response, clock: Clock, signal?: AbortSignal): Promise<void> {
  const { body } = response;
  if (body === null || body.locked) return;
  const reader = body.getReader();
  // Not awaited: cancelling one branch of a body that somebody cloned waits for the other.
  const breakOff = (): void => void reader.cancel().catch(() => undefined);
  const tooLong = Number(response.headers.get('content-length')) > MOST_BYTES;
  if (tooLong || signal?.aborted) return breakOff();
  const callOff = clock.schedule(breakOff, LONGEST_MS);
  signal?.addEventListener('abort', breakOff, { once: true });
  try {
    let bytes = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.byteLength;
      if (bytes > MOST_BYTES) breakOff();
    }
  } catch {
    // The connection broke: there is nothing left to save.
  } finally {
    callOff();
    signal?.removeEventListener('abort', breakOff);
  }
  await nextTurn();
}
