import type { Ask, Grant, TokenBucket } from '@ebb/core';

interface Does {
  tryAcquire(cost?: number): boolean;
  acquire?(ask: Ask): Promise<unknown>;
}

/** A bucket that does just what a test says. */
export function bucketThat({ tryAcquire, acquire }: Does): TokenBucket {
  return {
    tryAcquire,
    async acquire(ask = {}): Promise<Grant> {
      await acquire?.(ask);
      const cost = ask.cost ?? 1;
      return { cost, waitedMs: 0, grantedAtMs: 0, conforming: true, settle: () => undefined };
    },
  };
}
