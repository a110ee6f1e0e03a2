import { gcra, type NonConforming } from '@ebb/core/bucket';

/** Requests that come to one token bucket. */
export interface BucketTraffic {
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** @default 0 */
  readonly refillIntervalMs?: number;
  /**
   * What becomes of a request when the tokens are not there.
   * @default 'delay'
   */
  readonly nonConforming?: NonConforming;
  /** When the requests come, in milliseconds, in order. The bucket is full at 0. */
  readonly arrivalsMs: readonly number[];
}

/** What became of one request. */
export interface Passage {
  readonly arrivedAtMs: number;
  /** When it was sent; `undefined` for one that was rejected. */
  readonly sentAtMs: number | undefined;
  /** Whether its token was there when it came. */
  readonly conforming: boolean;
}

/** Lets requests through a token bucket, one by one, first come, first served. */
export function passThrough(traffic: BucketTraffic): Passage[] {
  const { refillIntervalMs = 0, nonConforming = 'delay', arrivalsMs, ...rate } = traffic;
  const quota = { ...rate, refillIntervalMs };
  let emptyAtMs = gcra.holding(quota, quota.capacity, 0);
  return arrivalsMs.map((arrivedAtMs) => {
    const waitMs = gcra.waitMs(quota, emptyAtMs, 1, arrivedAtMs);
    const conforming = waitMs === 0;
    if (conforming || nonConforming === 'delay') {
      emptyAtMs = gcra.spend(quota, emptyAtMs, 1, arrivedAtMs);
      return { arrivedAtMs, sentAtMs: arrivedAtMs + waitMs, conforming };
    }
    return { arrivedAtMs, sentAtMs: nonConforming === 'mark' ? arrivedAtMs : undefined, conforming };
  });
}
