import { systemClock } from '../base/clock.ts';
import { isNodeReadable, isWebReadable } from '../http/body.ts';
import { type AsideBounds, SetAside } from './set-aside.ts';

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

/** Closes the connection of a body that no one wants. */
export function cancelBody(body: unknown): void {
  setAside(body, { clock: systemClock, longestMs: 0, contentLength: Number.POSITIVE_INFINITY });
}
