import { type MemoryBucket, tokenBucket } from '@ebb/core';

/** A bucket that gives so many tokens at once in each interval. */
export function windowBucket(count: number, intervalMs: number): MemoryBucket {
  return tokenBucket({
    capacity: count,
    refillPerSecond: (count * 1_000) / intervalMs,
    refillIntervalMs: intervalMs,
  });
}
