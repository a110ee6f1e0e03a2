import type { Clock } from '@ebb/core';
import { nextTurn, onAbort } from '@ebb/core/adapter';

/** What ends an attempt before its time. */
export interface Bounds {
  readonly clock: Clock;
  /** In milliseconds; `undefined` for as long as it takes. */
  readonly timeoutMs: number | undefined;
  /** The caller's own. */
  readonly signal: AbortSignal | undefined;
}

/** The state of an attempt that can be ended before its time. */
export interface Bounded {
  /** What to give to the base fetch in place of the caller's signal; `undefined` if that is to be left. */
  readonly signal: AbortSignal | undefined;
  /** Whether no one waits for it any more. */
  readonly over: boolean;
  /** Whether the attempt's own time ran out. */
  readonly timedOut: boolean;
}

/** One signal of two. The caller's may not be a native one: then the base fetch must say what it thinks of it. */
function either(caller: AbortSignal, timeout: AbortController): AbortSignal {
  try {
    // The caller's signal goes on to reach the response's body, after the timer is off. Node 22 takes signals that are
    // not its own, and does not follow them.
    if (caller instanceof AbortSignal) return AbortSignal.any([caller, timeout.signal]);
  } catch {
    // It says that it is a signal, and is none.
  }
  caller.addEventListener('abort', () => timeout.abort(caller.reason), { once: true });
  return timeout.signal;
}

/**
 * Starts an attempt, and settles as it does; or with the reason of the end, if it ignores its signal. What comes
 * of it after that goes to `late`.
 *
 * @param start starts the attempt; what it is given tells later what has become of it
 */
export function bounded<T>(
  { clock, timeoutMs, signal }: Bounds,
  start: (state: Bounded) => Promise<T>,
  late: (result: T) => void,
): Promise<T> {
  const timeout = timeoutMs === undefined ? undefined : new AbortController();
  const state = {
    signal: timeout && (signal === undefined ? timeout.signal : either(signal, timeout)),
    over: false,
    timedOut: false,
  };
  return new Promise<T>((resolve, reject) => {
    let isSettled = false;
    const settle = (how: () => void): void => {
      isSettled = true;
      state.over = true;
      unwatch?.();
      callOff?.();
      how();
    };
    // What ends it is told to the base fetch as well, which has a turn to settle in its own way.
    const giveUp = (reason: () => unknown): void => {
      state.over = true;
      void nextTurn().then(() => isSettled || settle(() => reject(reason())));
    };
    const watched = signal?.aborted === false ? signal : undefined;
    const unwatch = watched && onAbort(watched, () => giveUp(() => watched.reason));
    const callOff =
      timeout &&
      clock.schedule(() => {
        state.timedOut = true;
        timeout.abort(new DOMException(`no response within ${timeoutMs} ms`, 'TimeoutError'));
        giveUp(() => timeout.signal.reason);
      }, timeoutMs as number);
    // Begins at once; what it throws it rejects with.
    const started = (async () => start(state))();
    started.then(
      (result) => (isSettled ? late(result) : settle(() => resolve(result))),
      (error: unknown) => isSettled || settle(() => reject(error)),
    );
  });
}
