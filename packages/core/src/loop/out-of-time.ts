import type { Clock } from '../base/clock.ts';
import { onAbort } from '../base/on-abort.ts';

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
