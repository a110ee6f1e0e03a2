import type { Clock } from '../base/clock.ts';
import { isNodeReadable, isWebReadable } from '../http/body.ts';
import { type AsideBounds, LONGEST_DISCARD_MS, SetAside } from './set-aside.ts';

/**
 * Reads a body to its end within bounds: a web stream or a Node stream. `undefined` for anything else, and for a stream
 * that someone else reads.
 */
export function setAside(body: unknown, bounds: AsideBounds): SetAside | undefined {
  try {
    if (isWebReadable(body)) {
      const reader = body.getReader();
      // Not awaited: the promise of one branch of a tee settles only when the other is cancelled as well.
      const giveUp = (): void => void reader.cancel().catch(() => undefined);
      const aside = new SetAside(bounds, { giveUp });
      aside.limit();
      void readWeb(reader, aside);
      return aside;
    }
    if (isNodeReadable(body)) {
      const aside = new SetAside(bounds, { giveUp: () => body.destroy?.() });
      // Never removed: a stream may still emit an error after it was destroyed.
      body.on('error', (error) => aside.end(false, error));
      body.on('close', () => aside.end(false));
      body.on('end', () => aside.end(true));
      aside.limit();
      if (body.destroyed || body.readableEnded) aside.end(body.readableEnded === true);
      else body.on('data', (part) => aside.take(part));
      return aside;
    }
  } catch {
    // It cannot be read.
  }
  return undefined;
}

async function readWeb(reader: ReadableStreamDefaultReader<unknown>, aside: SetAside): Promise<void> {
  try {
    while (!aside.isOver) {
      const { done, value } = await reader.read();
      if (done) aside.end(true);
      else aside.take(value);
    }
  } catch (error) {
    aside.end(false, error);
  }
}

/**
 * Reads a body to its end, so that its connection can be used again: a web stream or a Node stream. Cancels the body, and
 * thus the connection, after {@link MOST_DISCARDED_BYTES} or `withinMs`, or when the signal aborts. Never rejects.
 *
 * @param contentLength the `Content-Length` of the response; ignored if it is not a number
 * @param withinMs in milliseconds
 * @returns true if the whole body was read, and for anything but a stream; false for a locked stream
 */
export async function readToEnd(
  body: unknown,
  contentLength: string | null | undefined,
  clock: Clock,
  signal?: AbortSignal,
  withinMs: number = LONGEST_DISCARD_MS,
): Promise<boolean> {
  const bounds = {
    clock,
    longestMs: withinMs,
    mostKeptBytes: 0,
    contentLength: Number(contentLength),
    signal,
  };
  const aside = setAside(body, bounds);
  if (aside === undefined) return !isWebReadable(body) && !isNodeReadable(body);
  await aside.released;
  return aside.isWhole;
}

/** As {@link readToEnd}, if it does not matter whether the whole body was read. Never rejects. */
export async function drain(
  body: unknown,
  contentLength: string | null | undefined,
  clock: Clock,
  signal?: AbortSignal,
  withinMs?: number,
): Promise<void> {
  await readToEnd(body, contentLength, clock, signal, withinMs);
}
