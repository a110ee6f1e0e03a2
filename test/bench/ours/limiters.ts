import { tokenBucket } from '@ebb/core';
import { rival, rivalsIn } from '../rivals/folder.ts';
import { capacityOf, type Limiter, type LimiterRival } from '../rivals/limiter.ts';

function limiterOf(options: Parameters<typeof tokenBucket>[0]): Limiter {
  const bucket = tokenBucket(options);
  return {
    take: () => bucket.acquire(),
    takeTimed: async () => (await bucket.acquire()).grantedAtMs - performance.timeOrigin,
    tryTake: () => bucket.tryAcquire(),
  };
}

const ours: Readonly<Record<string, LimiterRival>> = {
  ebb: {
    promised: 'bucket',
    make: (quota) =>
      limiterOf({ refillPerSecond: (quota.limit * 1_000) / quota.intervalMs, capacity: capacityOf(quota) }),
  },
  'ebb, refilled in steps': {
    promised: 'fixed windows',
    make: ({ limit, intervalMs }) =>
      limiterOf({
        refillPerSecond: (limit * 1_000) / intervalMs,
        capacity: limit,
        refillIntervalMs: intervalMs,
      }),
  },
};

/** ebb and its rivals, by name. */
export async function limiters(): Promise<Map<string, LimiterRival>> {
  const rivals = rivalsIn('limiter').map(async (name) => [name, await limiter(name)] as const);
  return new Map([...Object.entries(ours), ...(await Promise.all(rivals))]);
}

/** One of them, and loads no other. */
export async function limiter(name: string): Promise<LimiterRival> {
  return ours[name] ?? rival<LimiterRival>('limiter', name);
}
