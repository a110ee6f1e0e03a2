import {
  type Call,
  cancelBody,
  namedTimeoutOf,
  nextTurn,
  onAbort,
  property,
  timeoutError,
} from '@ebb/core/adapter';

/** The state of an attempt that can be ended early. */
export interface Bounded {
  /** Replaces the caller's signal for the base fetch; `undefined` if that stays. */
  readonly signal: AbortSignal | undefined;
  /** True if the attempt ran into its timeout. */
  readonly timedOut: boolean;
}

/**
 * Starts an attempt, and settles as it does. If a timeout or an abort ends it, rejects with the reason one turn of the
 * event loop later, even if the attempt ignores its signal.
 *
 * @param start starts the attempt; its argument is updated while the attempt is under way
 * @param signal the caller's signal
 * @param call its clock measures the timeout
 * @param timeoutMs time for the response headers, in milliseconds; `undefined` for no timeout
 */
export function bounded(
  start: (state: Bounded) => Promise<Response>,
  signal: AbortSignal | undefined,
  call: Call,
  timeoutMs: number | undefined,
): Promise<Response> {
  const timeout = timeoutMs === undefined ? undefined : new AbortController();
  // `AbortSignal.any` follows the caller's signal while the body is read as well.
  const combined =
    timeout && (signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]));
  const state = { signal: combined, timedOut: false };
  let isGone = false;
  const end = (): void => {
    unwatch?.();
    cancelTimer?.();
  };
  let endEarly: (reason: unknown) => void;
  const early = new Promise<never>((_, reject) => {
    endEarly = reject;
  });
  // The base fetch gets one turn to reject with an error of its own.
  const giveUp = (by: AbortSignal): void =>
    void nextTurn().then(() => {
      isGone = true;
      end();
      endEarly(by.reason);
    });
  const unwatch = signal?.aborted === false ? onAbort(signal, () => giveUp(signal)) : undefined;
  const cancelTimer =
    timeout &&
    call.policy.clock.schedule(() => {
      state.timedOut = true;
      timeout.abort(timeoutError(namedTimeoutOf(call)));
      giveUp(timeout.signal);
    }, timeoutMs as number);
  // Starts at once; an async function, so that an exception becomes a rejection.
  const started = (async () => start(state))();
  const settled = started.then(
    (result) => {
      end();
      // From a base fetch that ignores its signal.
      if (isGone) cancelBody(property(result, 'body'));
      return result;
    },
    (error: unknown) => {
      end();
      throw error;
    },
  );
  // Not a promise that these settle: the stack of an error would end here, and not name the caller.
  return Promise.race([settled, early]);
}
