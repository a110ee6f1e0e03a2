import { readNode } from '#platform';
import { type Clock, nextTurn } from '../base/clock.ts';
import { isNodeReadable, isWebReadable } from './body.ts';

/** The most bytes of a discarded body that are read. For a longer one, closing the connection is cheaper. */
export const MOST_DISCARDED_BYTES: number = 256 * 1024;

/** The longest time for reading a discarded body, in milliseconds. A body that has not ended by then may never end. */
export const LONGEST_DISCARD_MS = 1_000;

/** Counts bytes, and the characters of strings, which is precise enough for a limit. False once there are too many. */
function counter(): (part: unknown) => boolean {
  let bytes = 0;
  return (part) => {
    const { byteLength, length } = (part ?? {}) as { byteLength?: number; length?: number };
    bytes += Number(byteLength ?? length) || 0;
    return bytes <= MOST_DISCARDED_BYTES;
  };
}

/**
 * Reads a web stream. Returns true if it was read to its end.
 *
 * @param bound called with a function that cancels the stream
 */
async function readWeb(
  stream: ReadableStream<unknown>,
  bound: (breakOff: () => void) => void,
): Promise<boolean> {
  const reader = stream.getReader();
  let brokenOff = false;
  const breakOff = (): void => {
    brokenOff = true;
    // Not awaited: the promise of one branch of a tee settles only when the other is cancelled as well.
    reader.cancel().catch(() => undefined);
  };
  bound(breakOff);
  const isFew = counter();
  while (!brokenOff) {
    const part = await reader.read();
    if (part.done) break;
    if (!isFew(part.value)) breakOff();
  }
  return !brokenOff;
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
  const isWeb = isWebReadable(body);
  if (!isWeb && !isNodeReadable(body)) return true;
  if (isWeb && body.locked) return false;
  let unbind = (): void => undefined;
  const bound = (breakOff: () => void): void => {
    if (Number(contentLength) > MOST_DISCARDED_BYTES || signal?.aborted) {
      breakOff();
      return;
    }
    const callOff = clock.schedule(breakOff, withinMs);
    // In a later turn, because the client may cancel the body itself on abort. If a branch of the body is cancelled before
    // that, Node 22 has a rejection that cannot be handled.
    const onAbort = (): void => void nextTurn().then(breakOff);
    signal?.addEventListener('abort', onAbort, { once: true });
    unbind = () => {
      callOff();
      signal?.removeEventListener('abort', onAbort);
    };
  };
  let whole = false;
  try {
    whole = await (isWeb ? readWeb(body, bound) : readNode(body, bound, counter()));
  } catch {
    // The connection broke, so it cannot be used again anyway.
  }
  unbind();
  await nextTurn();
  return whole;
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
