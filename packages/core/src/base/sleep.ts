import type { Clock } from './clock.ts';
import { onAbort } from './on-abort.ts';

/**
 * Resolves after `delayMs` milliseconds, or rejects with the signal's own reason as soon as it aborts. Leaves no timer and
 * no listener behind. All sleeps under one signal share one listener.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = clock.schedule(
      () => {
        forget?.();
        resolve();
      },
      delayMs,
      false,
      true,
    );
    const forget =
      signal &&
      onAbort(signal, () => {
        cancel();
        reject(signal.reason);
      });
  });
}
