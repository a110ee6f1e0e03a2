import type { NonConforming } from '@ebb/core/bucket';
import { TokenQuota } from '../../simulation/token-quota.ts';

/** Requests that pass through one token bucket. */
export interface BucketTraffic {
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** @default 0 */
  readonly refillIntervalMs?: number;
  /**
   * How the bucket treats a request without a token.
   * @default 'delay'
   */
  readonly nonConforming?: NonConforming;
  /** The arrival times of the requests, in milliseconds, in order. The bucket is full at 0. */
  readonly arrivalsMs: readonly number[];
}

/** The result of one request. */
export interface Passage {
  readonly arrivedAtMs: number;
  /** When the request was sent; `undefined` if it was rejected. */
  readonly sentAtMs: number | undefined;
  /** Whether the bucket had a token when the request arrived. */
  readonly conforming: boolean;
}

/** Passes requests through a token bucket one by one, first come, first served. */
export function passThrough(traffic: BucketTraffic): Passage[] {
  const { nonConforming = 'delay', arrivalsMs } = traffic;
  const quota = new TokenQuota(traffic);
  let state = quota.holding(traffic.capacity, 0);
  return arrivalsMs.map((arrivedAtMs) => {
    const waitMs = quota.waitMs(state, 1, arrivedAtMs);
    const conforming = waitMs === 0;
    if (conforming || nonConforming === 'delay') {
      state = quota.spend(state, 1, arrivedAtMs);
      return { arrivedAtMs, sentAtMs: arrivedAtMs + waitMs, conforming };
    }
    return { arrivedAtMs, sentAtMs: nonConforming === 'mark' ? arrivedAtMs : undefined, conforming };
  });
}
