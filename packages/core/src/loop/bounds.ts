import type { Clock } from '../base/clock.ts';
import { ThrottledError } from '../base/errors.ts';
import { onAbort } from '../base/on-abort.ts';
import type { Outcome } from '../http/outcome.ts';
import type { Policy } from './policy.ts';

/** A timeout has passed while the attempt was prepared. An adapter replaces it with the timeout error of its client. */
export class OutOfTime extends Error {
  override readonly name = 'TimeoutError';
  readonly timeoutMs: number;
  /** True for the total timeout of the request, false for that of the attempt. */
  readonly isTotal: boolean;

  constructor(timeoutMs: number, isTotal: boolean) {
    super(`not sent within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
    this.isTotal = isTotal;
  }
}

/** The error for a timeout, as `AbortSignal.timeout` makes it. */
export function timeoutError(timeoutMs: number): DOMException {
  return new DOMException(`no response within ${timeoutMs} ms`, 'TimeoutError');
}

/** What ends the wait for user code. */
export interface Bounds {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** In milliseconds; `Infinity` for no timeout. */
  readonly leftMs: number;
  /** The error if the time is over. */
  readonly late: () => unknown;
}

/** Settles as user code does, or rejects when the signal aborts or the time is over. User code cannot be stopped. */
export function settledWithin<T>(work: PromiseLike<T>, { clock, signal, leftMs, late }: Bounds): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = signal && onAbort(signal, () => end(() => reject(signal.reason)));
    const cancel =
      leftMs === Number.POSITIVE_INFINITY
        ? undefined
        : clock.schedule(() => end(() => reject(late())), Math.max(0, leftMs));
    const end = (how: () => void): void => {
      forget?.();
      cancel?.();
      how();
    };
    // Also if it is not waited for: no one else handles its rejection.
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
    if (signal?.aborted) end(() => reject(signal.reason));
    else if (leftMs <= 0) end(() => reject(late()));
  });
}

/** The total timeout of a request, and what it has done. */
export class Total {
  /** When the call began, in milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** True if the attempt in flight ends with the total timeout, not with its own. */
  bindsAttempt = false;
  /** The last response that a retry followed. */
  answer: Outcome | undefined;
  /** True if it is the result of the request. */
  fallsBack = false;
  readonly #policy: Policy;

  constructor(policy: Policy) {
    this.#policy = policy;
    this.startedAtMs = policy.clock.now();
  }

  /** `undefined` without a total timeout. Reading a clock takes as long as half of the rest of a session. */
  static of(policy: Policy): Total | undefined {
    return policy.totalTimeoutMs === undefined ? undefined : new Total(policy);
  }

  get timeoutMs(): number {
    return this.#policy.totalTimeoutMs as number;
  }

  /** What is left of it, in milliseconds. */
  get leftMs(): number {
    return this.startedAtMs + this.timeoutMs - this.#policy.clock.now();
  }

  /** @throws OutOfTime if it has passed */
  check(): void {
    if (this.leftMs < 0) throw new OutOfTime(this.timeoutMs, true);
  }

  /** How long an attempt may take that has `ownMs` milliseconds of its own. */
  bound(ownMs: number | undefined): number {
    const leftMs = Math.max(0, this.leftMs);
    this.bindsAttempt = ownMs === undefined || leftMs <= ownMs;
    return this.bindsAttempt ? leftMs : (ownMs as number);
  }

  /** True for an attempt that it has ended. */
  hasEnded(outcome: Outcome): boolean {
    if (!this.bindsAttempt || outcome.type !== 'failure' || outcome.kind !== 'timeout') return false;
    // A client's own timeout may have ended it before. Clocks have fractions of a millisecond.
    return this.leftMs < 1;
  }
}

/** Why a request is not sent after the policy's `stopSignal` has aborted. */
export function stopped(): ThrottledError {
  return new ThrottledError('Not sent: the stopSignal of the policy has aborted', undefined, {
    reason: 'stopped',
  });
}

export function isStop(error: unknown): boolean {
  return error instanceof ThrottledError && error.reason === 'stopped';
}

/** What ends a wait. */
interface End {
  readonly signal: AbortSignal;
  /** To be called after the wait, so that nothing is left in a signal that lives as long as the program. */
  forget(): void;
}

/** Aborts with the reason of the caller's signal, or with {@link stopped}. */
export function abortOrStop(own: AbortSignal | undefined, stopSignal: AbortSignal): End {
  const end = new AbortController();
  const forgetStop = onAbort(stopSignal, () => end.abort(stopped()));
  if (own?.aborted) end.abort(own.reason);
  const forgetOwn = own && onAbort(own, () => end.abort(own.reason));
  return {
    signal: end.signal,
    forget() {
      forgetStop();
      forgetOwn?.();
    },
  };
}
