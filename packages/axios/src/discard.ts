import { type Clock, drain, LONGEST_DISCARD_MS, MOST_DISCARDED_BYTES, nextTurn } from '@ebb/core';
import { isNodeReadable, isWebReadable, type NodeReadable } from './body.ts';
import { headerOf, responseIn } from './outcome.ts';

/**
 * Lets go of what an adapter settled with, which nobody will see, so that its connection can be used again.
 * Never rejects.
 */
export function discard(settled: unknown, clock: Clock, signal?: AbortSignal): Promise<void> | undefined {
  const response = responseIn(settled);
  if (response === undefined) return undefined;
  breakOffUpload(response.request);
  const { data } = response;
  const contentLength = headerOf(response.headers, 'content-length');
  if (isWebReadable(data)) return drain(data, contentLength, clock, signal);
  const isTooLong = Number(contentLength) > MOST_DISCARDED_BYTES;
  if (isNodeReadable(data)) return drainNode(data, isTooLong, clock, signal);
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
  const callOff = clock.schedule(breakOff, LONGEST_DISCARD_MS);
  signal?.addEventListener('abort', breakOff, { once: true });
  await new Promise<void>((resolve) => {
    let bytes = 0;
    stream.on('end', resolve);
    stream.on('close', resolve);
    stream.on('data', (part) => {
      bytes += part.length;
      if (bytes > MOST_DISCARDED_BYTES) breakOff();
    });
  });
  callOff();
  signal?.removeEventListener('abort', breakOff);
  await nextTurn();
}
