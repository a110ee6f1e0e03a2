import { nodeStream, readNode } from '#platform';
import { inNextTurn, systemClock } from '../base/clock.ts';
import { onAbort } from '../base/signals.ts';
import type { Clock } from '../base/time.ts';
import { isNodeReadable, isWebReadable } from '../http/body.ts';
import { MOST_READ_AHEAD_BYTES } from '../http/headers.ts';

/** The longest time for reading a discarded body, in milliseconds. A body that has not ended by then may never end. */
export const LONGEST_DISCARD_MS = 1_000;

/** The bounds within which a body is read that is set aside. */
export interface AsideBounds {
  readonly clock: Clock;
  /** How long it is read, in milliseconds. */
  readonly longestMs: number;
  /** The `Content-Length`, in bytes; `NaN` if there is none. */
  readonly contentLength: number;
  /** Ends the reading when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Called if the body ends, or breaks. Set for a body that is read in the background, whose timer keeps no process alive. */
  readonly ended?: () => void;
}

const SOON: Promise<void> = Promise.resolve();
const NOTHING = (): void => undefined;

const DISCARDED =
  'The body of this response was discarded for a retry, which was then not sent: it was longer than 64 KiB, or did not end in time';

/** In bytes; for a string in characters, which is precise enough for a limit. */
function sizeOf(part: unknown): number {
  const { byteLength, length }: { byteLength?: number; length?: number } = part ?? {};
  return byteLength ?? length ?? 0;
}

/**
 * A body whose response is to be followed by a retry. It is read to its end, within bounds, so that the retry can use its
 * connection; and it is kept, because it becomes the result if the retry is not sent. A source gives it to `take` and `end`.
 */
export class SetAside<Part = unknown> {
  readonly #bounds: AsideBounds;
  /** The body as far as it came; none of one that was given up. */
  parts: Part[] = [];
  /** True once nothing more of it will come. */
  isOver = false;
  /** True if it was read to its end. */
  isWhole = false;
  /** The error with which the body broke. */
  error: unknown;
  /** Resolves when the connection can be used again, or is closed. Never rejects. */
  readonly released: Promise<void>;
  readonly #source: { giveUp(): void };
  #bytes = 0;
  #callOff: (() => void) | undefined;
  #release: () => void = NOTHING;

  /** @param source `giveUp` closes the connection */
  constructor(bounds: AsideBounds, source: { giveUp(): void }) {
    this.#bounds = bounds;
    this.#source = source;
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  /** Gives the body up when its time is over, or at once if its `Content-Length` is too large. To be called once. */
  limit(): void {
    const { clock, longestMs, contentLength, signal, ended } = this.#bounds;
    const giveUp = (): void => this.giveUp();
    if (contentLength > MOST_READ_AHEAD_BYTES || signal?.aborted) giveUp();
    if (this.isOver) {
      inNextTurn(this.#release);
      return;
    }
    const cancelTimer = clock.schedule(giveUp, longestMs, ended !== undefined);
    // In a later turn, because the client may cancel the body itself on abort. If a branch of the body is cancelled before
    // that, Node 22 has a rejection that cannot be handled.
    const forget = signal && onAbort(signal, () => inNextTurn(giveUp));
    this.#callOff = () => {
      cancelTimer();
      forget?.();
    };
  }

  /** A part has arrived. */
  take(part: Part): void {
    if (this.isOver) return;
    this.#bytes += sizeOf(part);
    // A literal has no room for more parts: most of these bodies have a single part.
    if (this.parts.length === 0) this.parts = [part];
    else this.parts.push(part);
    if (this.#bytes > MOST_READ_AHEAD_BYTES) this.giveUp();
  }

  /** @param isWhole false if the body ended early */
  end(isWhole: boolean, error?: unknown): void {
    if (this.isOver) return;
    this.#over(isWhole, error);
    this.#bounds.ended?.();
  }

  #over(isWhole: boolean, error?: unknown): void {
    this.isOver = true;
    this.isWhole = isWhole;
    this.error = error;
    if (!this.#callOff) return;
    this.#callOff();
    // A client may free a connection in the turn after its response has ended, and ask for that turn after its last event.
    SOON.then(() => inNextTurn(this.#release));
  }

  /** Closes the connection of a body that has not ended. */
  giveUp(): void {
    if (this.isOver) return;
    this.parts = [];
    this.#over(false);
    this.#source.giveUp();
  }
}

/** Why the parts are not the whole body that was set aside; `undefined` if they are. */
export function reasonOfLoss({ isWhole, error }: SetAside): unknown {
  return isWhole ? undefined : (error ?? new Error(DISCARDED));
}

/**
 * Reads a body to its end within bounds: a web stream or a Node stream. `undefined` for anything else, and for a stream
 * that someone else reads. In browsers a Node stream is closed unread.
 */
export function setAside(body: unknown, bounds: AsideBounds): SetAside | undefined {
  try {
    if (isWebReadable(body)) {
      const reader = body.getReader();
      // Not awaited: the promise of one branch of a tee settles only when the other is cancelled as well.
      const aside = new SetAside(bounds, { giveUp: () => void reader.cancel().catch(NOTHING) });
      aside.limit();
      void readWeb(reader, aside);
      return aside;
    }
    if (!isNodeReadable(body)) return undefined;
    const aside = new SetAside(bounds, { giveUp: () => body.destroy?.() });
    readNode(body, aside);
    return aside;
  } catch {
    // It cannot be read.
    return undefined;
  }
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
  setAside(body, { clock: systemClock, longestMs: 0, contentLength: Infinity });
}

/**
 * Reads a copy of a body that may not be read otherwise, in the background and within bounds. Returns a function that stops the
 * reading.
 *
 * @param ended called if the body reaches its end, or breaks, within the bounds
 */
export function readAhead(copy: unknown, clock: Clock, longestMs: number, ended: () => void): () => void {
  const aside = setAside(copy, { clock, longestMs, contentLength: Number.NaN, ended });
  return () => aside?.giveUp();
}

/** A web stream with these parts, which then ends, or fails with the error if there is one. */
function webStream(parts: readonly unknown[], error: unknown): ReadableStream<unknown> {
  let next = 0;
  const source = {
    pull(controller: ReadableStreamDefaultController<unknown>) {
      if (next < parts.length) controller.enqueue(parts[next++]);
      else if (error === undefined) controller.close();
      else controller.error(error);
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** A stream of the same kind as `body`, with what was kept of it. If that is not all, reading it fails with the reason. */
export function keptStream(body: unknown, aside: SetAside): unknown {
  const { parts } = aside;
  const error = reasonOfLoss(aside);
  return (isNodeReadable(body) ? nodeStream(parts, error, body) : undefined) ?? webStream(parts, error);
}
