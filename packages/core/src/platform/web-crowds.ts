import type { Time } from '../base/sleepers.ts';

/**
 * Calls `call` once when the signal aborts. Returns a function that cancels it. Like a listener, it is not called for a
 * signal that has aborted already. A page does not have the crowds of a server, and needs no shared listener.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  // A function of its own: the same one is listed once.
  const listener = (): void => call();
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Each sleep of a page has its own timer. */
export function sleepersOn(clock: Time): Pick<Time, 'schedule'> {
  return clock;
}
