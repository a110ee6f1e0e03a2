import type { Clock } from '../base/clock.ts';
import { onAbort } from '../base/on-abort.ts';

/** Where a wait ends, whatever it waits for. */
export interface Bounds {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** In milliseconds; Infinity for none. */
  readonly leftMs: number;
  /** What the wait rejects with when they have passed. */
  readonly late: () => unknown;
}

/**
 * Settles as `work` does, but for the signal and the deadline. What comes later is given to `tooLate`, and its rejection is handled.
 *
 * @throws the signal's own reason when it aborts; what `late` makes; what the work rejects with
 */
export function bounded<T>(
  work: PromiseLike<T>,
  { clock, signal, leftMs, late }: Bounds,
  tooLate?: () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let isOver = false;
    let cancel: (() => void) | undefined;
    const end = (): void => {
      isOver = true;
      forget?.();
      cancel?.();
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    const forget = signal && onAbort(signal, () => fail(signal.reason));
    work.then((value) => {
      if (isOver) tooLate?.();
      end();
      resolve(value);
    }, fail);
    if (signal?.aborted) fail(signal.reason);
    else if (leftMs <= 0) fail(late());
    else if (leftMs < Number.POSITIVE_INFINITY) cancel = clock.schedule(() => fail(late()), leftMs);
  });
}
