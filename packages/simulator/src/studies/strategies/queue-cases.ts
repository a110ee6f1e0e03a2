import { concurrencyLimit, priorityQueue, type Slot, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { passThrough } from '../buckets/pass-through.ts';

/** Times from `fromMs` to `untilMs`, `perSecond` in each second. */
function steadily(perSecond: number, fromMs: number, untilMs: number): number[] {
  const count = Math.round(((untilMs - fromMs) * perSecond) / 1_000);
  return Array.from({ length: count }, (_, at) => fromMs + (at * 1_000) / perSecond);
}

/** A moment and a value. */
export type Moment = readonly [seconds: number, value: number];

/** How many requests are in flight to a service that becomes slow, and how many were not sent. */
export interface Slots {
  readonly inFlight: readonly Moment[];
  readonly most: number;
  readonly sent: number;
  readonly refused: number;
}

/**
 * 100 requests per second to a service that takes 0.1 s for each, and 3 s from 5 s to 15 s. A request without a slot is
 * not sent, as with `maxQueue: 0`.
 */
export function slotsUnder(maxConcurrent: number | undefined): Slots {
  const clock = virtualClock({ startMs: 0 });
  const limit = maxConcurrent === undefined ? undefined : concurrencyLimit({ maxConcurrent, clock });
  const counts = { now: 0, most: 0, sent: 0, refused: 0 };
  for (const atMs of steadily(100, 0, 25_000)) {
    clock.schedule(() => {
      const slot: Slot | undefined = limit?.tryAcquire();
      if (limit !== undefined && slot === undefined) {
        counts.refused += 1;
        return;
      }
      counts.sent += 1;
      counts.now += 1;
      counts.most = Math.max(counts.most, counts.now);
      const isSlow = atMs >= 5_000 && atMs < 15_000;
      clock.schedule(
        () => {
          counts.now -= 1;
          slot?.release();
        },
        isSlow ? 3_000 : 100,
      );
    }, atMs);
  }
  const inFlight: Moment[] = [];
  for (let second = 0; second <= 25; second += 0.25) {
    clock.tick(second * 1_000 - clock.now());
    inFlight.push([second, counts.now]);
  }
  return { inFlight, most: counts.most, sent: counts.sent, refused: counts.refused };
}

/** How long each request of a small tenant waits for its token, by the second in which it arrives. */
export function smallTenantWaits(perTenant: boolean): readonly Moment[] {
  // The large tenant sends 600 requests in a second.
  const large = steadily(600, 2_000, 3_000);
  // Never at the same time as one of the large tenant, by which they are told apart.
  const small = steadily(5, 0.5, 15_000.5);
  const arrivalsMs = perTenant ? small : [...large, ...small].sort((a, b) => a - b);
  const quota = perTenant ? { refillPerSecond: 25, capacity: 5 } : { refillPerSecond: 50, capacity: 10 };
  const own = new Set(small);
  return passThrough({ ...quota, arrivalsMs })
    .filter(({ arrivedAtMs }) => own.has(arrivedAtMs))
    .map(({ arrivedAtMs, sentAtMs }) => [
      arrivedAtMs / 1_000,
      ((sentAtMs ?? arrivedAtMs) - arrivedAtMs) / 1_000,
    ]);
}

/** The outcomes of the requests of a fleet, per second. */
export interface FleetUse {
  readonly served: number;
  readonly refusedByServer: number;
  readonly waiting: number;
}

/** The requests per second of eight processes: one is busy, seven are not. */
const WISHES: readonly number[] = [120, ...new Array<number>(7).fill(5)];
/** The quota of the server, for all of them. */
const QUOTA = { refillPerSecond: 100, capacity: 20 };
const MINUTE_MS = 60_000;

/** How eight processes share a quota: not at all, in fixed parts, or with one bucket. */
export type QueueUse = 'each its own' | 'fixed parts' | 'one bucket';

export function useOf(sharing: QueueUse): FleetUse {
  const arrivals = WISHES.map((perSecond) => steadily(perSecond, 0, MINUTE_MS));
  const parts = sharing === 'fixed parts' ? WISHES.length : 1;
  const quota = { refillPerSecond: QUOTA.refillPerSecond / parts, capacity: QUOTA.capacity / parts };
  const lines = sharing === 'one bucket' ? [arrivals.flat().sort((a, b) => a - b)] : arrivals;
  const sentMs = lines
    .flatMap((arrivalsMs) => passThrough({ ...quota, arrivalsMs }))
    .flatMap(({ sentAtMs = Number.POSITIVE_INFINITY }) => (sentAtMs < MINUTE_MS ? [sentAtMs] : []))
    .sort((a, b) => a - b);
  const answers = passThrough({ ...QUOTA, nonConforming: 'reject', arrivalsMs: sentMs });
  const served = answers.filter(({ conforming }) => conforming).length;
  const perSecond = (count: number): number => count / (MINUTE_MS / 1_000);
  return {
    served: perSecond(served),
    refusedByServer: perSecond(sentMs.length - served),
    waiting: perSecond(arrivals.flat().length - sentMs.length),
  };
}

/** How long each urgent request waits behind 200 others, by the second in which it arrives. */
export function urgentWaits(priority: number): readonly Moment[] {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 20, capacity: 2, queue: priorityQueue(), clock });
  // A batch request costs two tokens, an urgent one costs one: so the queue shows which of them was granted.
  for (let count = 0; count < 200; count += 1) void bucket.acquire({ cost: 2 });
  const waits: Moment[] = [];
  const since: number[] = [];
  let before = bucket.stats().waitingCost;
  const look = (): void => {
    const { waitingCost } = bucket.stats();
    const arrivedAtMs = before - waitingCost === 1 ? since.shift() : undefined;
    if (arrivedAtMs !== undefined) waits.push([arrivedAtMs / 1_000, (clock.now() - arrivedAtMs) / 1_000]);
    before = waitingCost;
  };
  const arrivals = steadily(2, 1_010, 15_000);
  while (clock.nextAtMs !== undefined) {
    const nextMs = arrivals[0];
    if (nextMs !== undefined && nextMs <= clock.nextAtMs) {
      arrivals.shift();
      clock.tick(nextMs - clock.now());
      look();
      const { granted } = bucket.stats();
      void bucket.acquire({ cost: 1, priority });
      if (bucket.stats().granted > granted) waits.push([nextMs / 1_000, 0]);
      else since.push(nextMs);
      before = bucket.stats().waitingCost;
    } else {
      clock.tick(clock.nextAtMs - clock.now());
      look();
    }
  }
  return waits;
}
