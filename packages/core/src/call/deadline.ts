import { isObject, NotSentError } from '../base/errors.ts';
import { onAbort } from '../base/signals.ts';
import type { Clock } from '../base/time.ts';
import type { FollowUpload } from '../http/body.ts';
import type { Outcome } from '../http/outcome.ts';
import type { CallClient } from './types.ts';

/** True if a call has ended with the reason of its caller's abort. */
export function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal?.aborted === true && error === signal.reason;
}

/** A timeout has passed before an attempt was sent or understood. An adapter replaces it with the timeout error of its client. */
export class OutOfTime extends Error {
  override readonly name = 'TimeoutError';
  readonly timeoutMs: number;
  readonly #isTotal: boolean;

  constructor(timeoutMs: number, isTotal: boolean) {
    super(`not sent within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
    this.#isTotal = isTotal;
  }

  /** Reads no property of a thrown value, which may be a `Proxy`. */
  static override [Symbol.hasInstance](thrown: unknown): boolean {
    return isObject(thrown) && #isTotal in thrown;
  }

  /** True for the total timeout of the request, false for that of the attempt. */
  get isTotal(): boolean {
    return this.#isTotal;
  }
}

/** The error for a timeout, as `AbortSignal.timeout` makes it. React Native has no `DOMException`. */
export function timeoutError(timeoutMs: number): Error {
  const [message, name] = [`no response within ${timeoutMs} ms`, 'TimeoutError'];
  return globalThis.DOMException
    ? new DOMException(message, name)
    : Object.assign(new Error(message), { name });
}

/** The client's own error for an attempt that ran out of time; any other error as it is. */
export function lateBy(client: CallClient, error: unknown): unknown {
  if (!(error instanceof OutOfTime)) return error;
  const { timeoutMs } = error;
  return client.timeoutError?.(timeoutMs) ?? timeoutError(timeoutMs);
}

/** When a call has to end: its total timeout. */
export class Deadline {
  /** True if the attempt in flight ends with the total timeout, not with its own. */
  bindsAttempt = false;
  /** True if the wait for slot and tokens ends with it, not with `maxWaitMs`. */
  bindsWait = false;
  readonly timeoutMs: number;
  readonly #clock: Clock;
  /** When the call began, in milliseconds since the epoch. */
  readonly startedAtMs: number;

  constructor(timeoutMs: number, clock: Clock) {
    this.timeoutMs = timeoutMs;
    this.#clock = clock;
    this.startedAtMs = clock.now();
  }

  /** The time until the deadline, in milliseconds; negative after it. */
  get leftMs(): number {
    return this.startedAtMs + this.timeoutMs - this.#clock.now();
  }

  /** The error once it has passed. */
  late(): OutOfTime {
    return new OutOfTime(this.timeoutMs, true);
  }

  /** How long an attempt may take that has `ownMs` milliseconds of its own. */
  bound(ownMs: number = Infinity): number {
    const leftMs = Math.max(0, this.leftMs);
    this.bindsAttempt = leftMs <= ownMs;
    return Math.min(leftMs, ownMs);
  }

  /** True for an attempt that it has ended. A client's own timeout may have ended it before. */
  hasEnded(outcome: Outcome): boolean {
    // Clocks have fractions of a millisecond.
    return this.bindsAttempt && outcome.type === 'failure' && outcome.kind === 'timeout' && this.leftMs < 1;
  }
}

/** A call with timeouts. */
export interface TimedCall {
  readonly deadline: Deadline | undefined;
  readonly policy: { readonly attemptTimeoutMs?: number | undefined; readonly clock: Clock };
}

/** The timeout that an attempt runs into if it takes as long as `timeoutOf` says, for messages. */
export function namedTimeoutOf({ deadline, policy }: TimedCall): number {
  const { attemptTimeoutMs = Infinity } = policy;
  return deadline?.bindsAttempt ? deadline.timeoutMs : attemptTimeoutMs;
}

/** Where a wait ends, whatever it waits for. */
export interface Bounds {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** In milliseconds; Infinity for none. */
  readonly leftMs: number;
  /** Makes the error of a wait that takes longer than `leftMs`. */
  readonly late: () => unknown;
}

/**
 * Settles as `work` does, or earlier at an abort or the deadline. A later result of `work` is given to `tooLate`, and a later
 * rejection is handled.
 *
 * @throws the signal's own reason when it aborts; the error that `late` makes; the rejection of the work
 */
export function withinBounds<T>(
  work: PromiseLike<T>,
  { clock, signal, leftMs, late }: Bounds,
  tooLate?: (value: T) => void,
): Promise<T> {
  let isOver = false;
  let cancel: (() => void) | undefined;
  let forget: (() => void) | undefined;
  const end = (): void => {
    isOver = true;
    forget?.();
    cancel?.();
  };
  const early = new Promise<never>((_, reject) => {
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    forget = signal && onAbort(signal, () => fail(signal.reason));
    if (signal?.aborted) fail(signal.reason);
    else if (leftMs <= 0) fail(late());
    else if (leftMs < Infinity) cancel = clock.schedule(() => fail(late()), leftMs);
  });
  const done = Promise.resolve(work).then(
    (value) => {
      if (isOver) tooLate?.(value);
      end();
      return value;
    },
    (error: unknown) => {
      end();
      throw error;
    },
  );
  // Not a promise that these settle: the stack of an error would end here, and not name the caller.
  return Promise.race([early, done]);
}

/** Why a request is not sent after the policy's `stopSignal` has aborted. */
export function stopError(): NotSentError {
  return new NotSentError('stopSignal has aborted', undefined, { reason: 'stopped' });
}

/** A signal that ends waits early. */
export interface WaitSignal {
  readonly signal: AbortSignal;
  /** To be called after the wait: a signal may live as long as the program, and must not keep listeners. */
  forget(): void;
}

/** Aborts with the reason of the caller's signal, with {@link stopError}, or with the error of the upload, which is noted in `lost`. */
export function endingOf(
  own: AbortSignal | undefined,
  stopSignal: AbortSignal | undefined,
  follow: FollowUpload | undefined,
  lost: { uploadError?: unknown },
): WaitSignal {
  const end = new AbortController();
  const forgetUpload = follow?.((error) => {
    lost.uploadError = error;
    end.abort(error);
  });
  const endOwn = (): void => {
    // At once: the client may close the upload now.
    forgetUpload?.();
    end.abort(own?.reason);
  };
  const forgetStop = stopSignal && onAbort(stopSignal, () => end.abort(stopError()));
  const forgetOwn = own && onAbort(own, endOwn);
  if (own?.aborted) endOwn();
  else if (stopSignal?.aborted) end.abort(stopError());
  return {
    signal: end.signal,
    forget() {
      forgetUpload?.();
      forgetStop?.();
      forgetOwn?.();
    },
  };
}
