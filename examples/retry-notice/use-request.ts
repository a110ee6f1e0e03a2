import type { EbbEvent } from '@ebb/core';
import { useEffect, useState } from 'react';

/** What a person is shown of a request. */
export type Shown<T> =
  | { readonly state: 'loading' }
  /** The next attempt is so many seconds away. */
  | { readonly state: 'waiting'; readonly seconds: number }
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown };

/** Sends the request. Both arguments go to ebb: `fetch(url, { signal, ebb: { onEvent } })`. */
export type Send<T> = (signal: AbortSignal, onEvent: (event: EbbEvent) => void) => Promise<T>;

/**
 * Sends a request, and shows when it will be sent again. It ends with its component: an abort also ends the wait.
 *
 * @param send must be the same function in each render, or each render sends a request
 */
export function useRequest<T>(send: Send<T>): Shown<T> {
  const [shown, show] = useState<Shown<T>>({ state: 'loading' });
  useEffect(() => {
    const stop = new AbortController();
    let countdown: ReturnType<typeof setInterval> | undefined;
    const onEvent = (event: EbbEvent): void => {
      clearInterval(countdown);
      if (stop.signal.aborted) return;
      if (event.type !== 'retry') {
        show({ state: 'loading' });
        return;
      }
      // Browsers slow the timers of a hidden page down, so the seconds are not counted, but read from the clock.
      const atMs = performance.now() + event.delayMs;
      const count = (): void => {
        const seconds = Math.max(0, Math.ceil((atMs - performance.now()) / 1_000));
        show((before) =>
          before.state === 'waiting' && before.seconds === seconds ? before : { state: 'waiting', seconds },
        );
      };
      count();
      countdown = setInterval(count, 200);
    };
    send(stop.signal, onEvent).then(
      (value) => !stop.signal.aborted && show({ state: 'done', value }),
      (error: unknown) => !stop.signal.aborted && show({ state: 'failed', error }),
    );
    return () => {
      stop.abort();
      clearInterval(countdown);
    };
  }, [send]);
  return shown;
}
