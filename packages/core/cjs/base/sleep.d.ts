import { type Clock } from './clock.ts';
/**
 * Resolves after `delayMs` milliseconds, or rejects with the signal's own reason as soon as it aborts. Leaves no timer and
 * no listener behind. All sleeps under one signal share one listener.
 *
 * On the system clock thousands that are due at once resolve over several turns of the event loop. Another clock decides for
 * itself when it wakes them.
 */
export declare function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void>;
//# sourceMappingURL=sleep.d.ts.map