import { type Clock, inNextTurn } from '../base/clock.ts';
import { onAbort } from '../base/on-abort.ts';

/** The most bytes of a discarded body that are read. For a longer one, closing the connection is cheaper. */
export const MOST_DISCARDED_BYTES: number = 256 * 1024;

/** The longest time for reading a discarded body, in milliseconds. A body that has not ended by then may never end. */
export const LONGEST_DISCARD_MS = 1_000;

/** How far a body is read that is set aside. */
export interface AsideBounds {
  readonly clock: Clock;
  /** How long it is read, in milliseconds. */
  readonly longestMs: number;
  /** How much of it is kept, in bytes; it is read up to {@link MOST_DISCARDED_BYTES}. */
  readonly mostKeptBytes: number;
  /** The `Content-Length`, in bytes; `NaN` if there is none. */
  readonly contentLength: number;
  /** Ends the reading when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

const SOON: Promise<void> = Promise.resolve();
const NONE: never[] = [];

/** In bytes; for a string in characters, which is precise enough for a limit. */
function sizeOf(part: unknown): number {
  const { byteLength, length } = part as { byteLength?: number; length?: number };
  return byteLength ?? length ?? 0;
}

/**
 * A body whose response is to be followed by a retry. It is read to its end, within bounds, so that the retry can use its
 * connection; and it is kept, because it becomes the result if the retry is not sent.
 */
export interface SetAside<Part = unknown> {
  readonly bounds: AsideBounds;
  /** The body as far as it came; `undefined` if it is too long to keep. */
  parts: Part[] | undefined;
  /** True once nothing more of it will come. */
  isOver: boolean;
  /** True if it was read to its end, kept or not. */
  isWhole: boolean;
  /** What it broke with. */
  error: unknown;
  /** Resolves when the connection can be used again, or is closed. Never rejects. */
  readonly released: Promise<void>;
  /** A part has arrived. */
  take(part: Part): void;
  /** @param isWhole false if the body ended early */
  end(isWhole: boolean, error?: unknown): void;
}

/**
 * Sets a body aside that a source gives to `take` and `end`. Gives it up when the time is up, or too much has arrived; at once
 * if the `Content-Length` is too large.
 *
 * @param cancel closes the connection
 * @param mayEndSoon true if most of these bodies end in the turn of their headers: then they need no timer
 */
export function asideOf<Part>(bounds: AsideBounds, cancel: () => void, mayEndSoon?: boolean): SetAside<Part> {
  const { contentLength, mostKeptBytes, signal } = bounds;
  let bytes = 0;
  let callOff: (() => void) | undefined;
  let release: () => void;
  const aside: SetAside<Part> = {
    bounds,
    parts: NONE,
    isOver: false,
    isWhole: false,
    error: undefined,
    released: new Promise((resolve) => {
      release = resolve;
    }),
    take(part) {
      if (aside.isOver) return;
      bytes += sizeOf(part);
      if (bytes > mostKeptBytes) aside.parts = undefined;
      // A literal has no room for more parts, which most of these responses do not have.
      else if (aside.parts === NONE) aside.parts = [part];
      else aside.parts?.push(part);
      if (bytes > MOST_DISCARDED_BYTES) giveUp();
    },
    end(isWhole, error) {
      if (aside.isOver) return;
      aside.isOver = true;
      aside.isWhole = isWhole;
      aside.error = error;
      callOff?.();
      // A client may free a connection in the turn after its response has ended, and ask for that turn after its last event.
      SOON.then(() => inNextTurn(release));
    },
  };
  const giveUp = (): void => {
    aside.parts = undefined;
    aside.end(false);
    cancel();
  };
  const bind = (): void => {
    if (aside.isOver) return;
    const cancelTimer = bounds.clock.schedule(giveUp, bounds.longestMs);
    // In a later turn, because the client may cancel the body itself on abort. If a branch of the body is cancelled before
    // that, Node 22 has a rejection that cannot be handled.
    const forget = signal && onAbort(signal, () => inNextTurn(giveUp));
    callOff = () => {
      cancelTimer();
      forget?.();
    };
  };
  if (contentLength > MOST_DISCARDED_BYTES || signal?.aborted) giveUp();
  else if (mayEndSoon) SOON.then(bind);
  else bind();
  return aside;
}

/** Why the parts are not the whole body that was set aside; `undefined` if they are. */
export function missing({ isWhole, parts, error, bounds }: SetAside): unknown {
  if (isWhole && parts !== undefined) return undefined;
  const most = `${bounds.mostKeptBytes / 1024} KiB`;
  const text = `The body of this response was discarded for a retry, which was then not sent: it was longer than ${most}, or did not end in time`;
  return error ?? new Error(text);
}
