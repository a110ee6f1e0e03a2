import type { Clock } from '@ebb/core';
import { nextTurn, onAbort } from '@ebb/core/adapter';

/** What can end an attempt early. */
export interface Bounds {
  readonly clock: Clock;
  /** Time for the response headers, in milliseconds; `undefined` for no timeout. */
  readonly timeoutMs: number | undefined;
  /** What the attempt rejects with after that. */
  readonly timeoutError?: () => DOMException;
  /** The caller's signal, a native one. */
  readonly signal: AbortSignal | undefined;
  /** True if the base fetch has to get the caller's own signal: the timeout then does not reach it. */
  readonly keepsSignal?: boolean;
}

/** The state of an attempt that can be ended early. */
export interface Bounded {
  /** Replaces the caller's signal for the base fetch; `undefined` if that stays. */
  readonly signal: AbortSignal | undefined;
  /** True once the attempt has ended, by itself or early. */
  readonly over: boolean;
  /** True if the attempt ran into its timeout. */
  readonly timedOut: boolean;
}

/**
 * Starts an attempt, and settles as it does. If a timeout or an abort ends it, rejects with the reason one turn of the
 * event loop later, even if the attempt ignores its signal.
 *
 * @param start starts the attempt; its argument is updated while the attempt is under way
 * @param late gets a result that arrives after that
 */
export function bounded<T>(
  { clock, timeoutMs, timeoutError: makeError, signal, keepsSignal }: Bounds,
  start: (state: Bounded) => Promise<T>,
  late: (result: T) => void,
): Promise<T> {
  const timeout = timeoutMs === undefined ? undefined : new AbortController();
  // `AbortSignal.any` follows the caller's signal while the body is read as well.
  const combined =
    timeout && (signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]));
  const state = { signal: keepsSignal ? undefined : combined, over: false, timedOut: false };
  return new Promise<T>((resolve, reject) => {
    let isSettled = false;
    const settle = (how: () => void): void => {
      isSettled = true;
      state.over = true;
      unwatch?.();
      cancelTimer?.();
      how();
    };
    // The base fetch gets one turn to reject with an error of its own.
    const giveUp = (reason: () => unknown): void => {
      state.over = true;
      void nextTurn().then(() => isSettled || settle(() => reject(reason())));
    };
    const watched = signal?.aborted === false ? signal : undefined;
    const unwatch = watched && onAbort(watched, () => giveUp(() => watched.reason));
    const cancelTimer =
      timeout &&
      clock.schedule(() => {
        state.timedOut = true;
        timeout.abort(makeError?.());
        giveUp(() => timeout.signal.reason);
      }, timeoutMs as number);
    // Starts at once; an async function, so that an exception becomes a rejection.
    const started = (async () => start(state))();
    started.then(
      (result) => (isSettled ? late(result) : settle(() => resolve(result))),
      (error: unknown) => isSettled || settle(() => reject(error)),
    );
  });
}
