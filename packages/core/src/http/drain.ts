import { type Clock, nextTurn } from '../base/clock.ts';

/** A body longer than this that no one will see is cheaper to break off, connection and all, than to read. */
export const MOST_DISCARDED_BYTES: number = 256 * 1024;

/** A body that no one will see and that has not ended by then may never end. */
export const LONGEST_DISCARD_MS = 1_000;

/** What is used of a Node stream, which node-fetch and axios have as bodies. */
interface NodeReadable {
  readonly destroyed?: boolean;
  readonly readableEnded?: boolean;
  on(event: string, listener: (part?: unknown) => void): unknown;
  destroy?(): unknown;
}

function isWebReadable(body: unknown): body is ReadableStream<unknown> {
  return typeof (body as ReadableStream | null | undefined)?.getReader === 'function';
}

function isNodeReadable(body: unknown): body is NodeReadable {
  const { pipe, on } = (body ?? {}) as { pipe?: unknown; on?: unknown };
  return typeof pipe === 'function' && typeof on === 'function';
}

/** Bytes, or as many characters: enough for a bound. */
function sizeOf(part: unknown): number {
  const { byteLength, length } = (part ?? {}) as { byteLength?: unknown; length?: unknown };
  if (typeof byteLength === 'number') return byteLength;
  return typeof length === 'number' ? length : 0;
}

/** Reads a web stream to its end; whether it came to it. `onBreakOff` is given what breaks it off. */
async function readWeb(
  stream: ReadableStream<unknown>,
  bound: (breakOff: () => void) => void,
): Promise<boolean> {
  const reader = stream.getReader();
  let brokenOff = false;
  const breakOff = (): void => {
    brokenOff = true;
    // Not awaited: to cancel one of two branches of a stream waits for the other.
    reader.cancel().catch(() => undefined);
  };
  bound(breakOff);
  let bytes = 0;
  while (!brokenOff) {
    const part = await reader.read();
    if (part.done) break;
    bytes += sizeOf(part.value);
    if (bytes > MOST_DISCARDED_BYTES) breakOff();
  }
  return !brokenOff;
}

/** The same for a Node stream. */
function readNode(stream: NodeReadable, bound: (breakOff: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const breakOff = (): void => {
      stream.destroy?.();
      resolve(false);
    };
    // Stays on: a stream that is destroyed in the middle may still emit an error.
    stream.on('error', () => resolve(false));
    stream.on('close', () => resolve(false));
    stream.on('end', () => resolve(true));
    bound(breakOff);
    if (stream.destroyed || stream.readableEnded) return resolve(stream.readableEnded === true);
    let bytes = 0;
    stream.on('data', (part) => {
      bytes += sizeOf(part);
      if (bytes > MOST_DISCARDED_BYTES) breakOff();
    });
  });
}

/**
 * Reads a body to its end so that its connection can be used again: a web stream, a Node stream; anything else
 * has no connection. Breaks it off, connection and all, if that takes more than {@link MOST_DISCARDED_BYTES} or
 * `withinMs`, or if the signal aborts. Never rejects.
 *
 * @param contentLength what the response says of its length; anything but a number says nothing
 * @returns whether all of it was read; false for a stream that someone else reads
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
    // A client that follows its signal ends the body itself. To cancel a branch of it before it has done so makes a
    // rejection in Node 22 that no one can handle.
    const onAbort = (): void => void nextTurn().then(breakOff);
    signal?.addEventListener('abort', onAbort, { once: true });
    unbind = () => {
      callOff();
      signal?.removeEventListener('abort', onAbort);
    };
  };
  let whole = false;
  try {
    whole = await (isWeb ? readWeb(body, bound) : readNode(body, bound));
  } catch {
    // The connection broke: there is nothing left to save.
  }
  unbind();
  await nextTurn();
  return whole;
}

/** As {@link readToEnd}, for a body that no one will see, whether or not its end came. Never rejects. */
export async function drain(
  body: unknown,
  contentLength: string | null | undefined,
  clock: Clock,
  signal?: AbortSignal,
  withinMs?: number,
): Promise<void> {
  await readToEnd(body, contentLength, clock, signal, withinMs);
}
