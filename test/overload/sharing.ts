import { seededRandom, type VirtualClock } from '@ebb/core/testing';
import type { FaultyFetch } from '@ebb/testing/faults';

export interface SharingOptions {
  /** So many requests are served at full speed. More share it. */
  readonly workers: number;
  /** The mean time to serve a request at full speed, in milliseconds; exponentially distributed. */
  readonly serviceMs: number;
  /** Any more requests at once get a 503. */
  readonly maxInFlight: number;
  /** The share of the workers that is there at a time. */
  readonly capacityShare: (nowMs: number) => number;
  /** When it changes. */
  readonly changesMs: readonly number[];
}

interface Job {
  /** How much of its service each request must have got until this one is done, in milliseconds. */
  readonly doneAt: number;
  readonly resolve: (response: Response) => void;
}

/**
 * A service that serves all requests at once, each the slower the more there are, as a program on a few cores does: nothing waits in a
 * queue, and latency grows smoothly with load. It does not learn that a client has given up.
 */
export function sharing(options: SharingOptions, clock: VirtualClock, seed: number): FaultyFetch {
  const { workers, serviceMs, maxInFlight, capacityShare, changesMs } = options;
  const random = seededRandom(seed);
  /** Sorted, the next one last. */
  const jobs: Job[] = [];
  /** What each request that was there from the start would have got by now. */
  let served = 0;
  let atMs = clock.now();
  let speed = 1;
  let sent = 0;
  let cancel: (() => void) | undefined;

  /** Serves what is due, and waits for what is next. */
  const look = (): void => {
    served += (clock.now() - atMs) * speed;
    atMs = clock.now();
    while ((jobs.at(-1)?.doneAt ?? Number.POSITIVE_INFINITY) <= served + 1e-9)
      jobs.pop()?.resolve(new Response(null));
    speed = Math.min(1, (workers * capacityShare(atMs)) / jobs.length);
    cancel?.();
    const next = jobs.at(-1);
    cancel = next && clock.schedule(look, Math.max(0, next.doneAt - served) / speed);
  };
  for (const ms of changesMs) clock.schedule(look, ms);

  const fetch = (_input: unknown, init?: RequestInit): Promise<Response> => {
    sent += 1;
    look();
    if (jobs.length >= maxInFlight) return Promise.resolve(new Response(null, { status: 503 }));
    return new Promise((resolve, reject) => {
      const { signal } = init ?? {};
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      const doneAt = served - Math.log(1 - random()) * serviceMs;
      let at = jobs.length;
      while (at > 0 && (jobs[at - 1] as Job).doneAt < doneAt) at -= 1;
      jobs.splice(at, 0, { doneAt, resolve });
      look();
    });
  };
  return Object.defineProperty(fetch, 'sent', { get: () => sent }) as unknown as FaultyFetch;
}
