import { type Clock, nextTurn } from '@ebb/core';
import { isNodeReadable, isWebReadable, type NodeReadable } from './body.ts';
import { headerOf, responseIn } from './outcome.ts';

/** A body longer than this is cheaper to break off, connection and all, than to read. */
const MOST_BYTES = 256 * 1024;
/** A body that has not ended by then may never end. */
const LONGEST_MS = 1_000;

/**
 * Lets go of what an adapter settled with, which nobody will see, so that its connection can be used again.
 * Never rejects.
 */
export function discard(settled: unknown, clock: Clock, signal?: AbortSignal): Promise<void> | undefined {
  const response = responseIn(settled);
  if (response === undefined) return undefined;
  breakOffUpload(response.request);
  const { data } = response;
  const isTooLong = Number(headerOf(response.headers, 'content-length')) > MOST_BYTES;
  if (isNodeReadable(data)) return drainNode(data, isTooLong, clock, signal);
  if (isWebReadable(data)) return drainWeb(data, isTooLong, clock, signal);
  return nextTurn();
}

/** A server that answered before it had the whole body may never read the rest, and the socket would wait. */
function breakOffUpload(request: unknown): void {
  const { writableFinished, destroy } = (request ?? {}) as { writableFinished?: unknown; destroy?: unknown };
  if (writableFinished === false && typeof destroy === 'function') destroy.call(request);
}

async function drainNode(
  stream: NodeReadable,
  isTooLong: boolean,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  // Stays: what is destroyed in the middle may still tell of it.
  stream.on('error', () => undefined);
  const breakOff = (): void => void stream.destroy();
  if (isTooLong || signal?.aborted) return breakOff();
  if (stream.destroyed || stream.readableEnded) return;
  const callOff = clock.schedule(breakOff, LONGEST_MS);
  signal?.addEventListener('abort', breakOff, { once: true });
  await new Promise<void>((resolve) => {
    let bytes = 0;
    stream.on('end', resolve);
    stream.on('close', resolve);
    stream.on('data', (part) => {
      bytes += part.length;
      if (bytes > MOST_BYTES) breakOff();
    });
  });
  callOff();
  signal?.removeEventListener('abort', breakOff);
  await nextTurn();
}

async function drainWeb(
  stream: ReadableStream<Uint8Array>,
  isTooLong: boolean,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (stream.locked) return;
  const reader = stream.getReader();
  // Not awaited: to cancel one of two branches of a stream waits for the other.
  const breakOff = (): void => void reader.cancel().catch(() => undefined);
  if (isTooLong || signal?.aborted) return breakOff();
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
