import { onAbort, sleepersOn } from '#platform';
import { type Clock, systemClock } from './clock.ts';

/**
 * Resolves after `delayMs` milliseconds, or rejects with the signal's own reason as soon as it aborts. Leaves no timer and
 * no listener behind. All sleeps under one signal share one listener.
 *
 * On the system clock thousands that are due at once resolve over several turns of the event loop. Another clock decides for
 * itself when it wakes them.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  const waits = clock === systemClock ? sleepersOn(clock) : clock;
  return new Promise((resolve, reject) => {
    if (!signal) {
      waits.schedule(resolve, delayMs, false, true);
      return;
    }
    if (signal.aborted) return reject(signal.reason);
    let callOff: (() => void) | undefined;
    const wake = (): void => {
      callOff?.();
      // In a crowd the call of `onAbort` comes later than the abort.
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const cancel = waits.schedule(wake, delayMs, false, true);
    callOff = onAbort(signal, () => {
      cancel();
      reject(signal.reason);
    });
  });
}
