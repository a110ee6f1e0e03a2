import type { AcquireOptions, Grant, TokenBucket } from '@ebb/core';

interface Does {
  tryAcquire(cost?: number): boolean;
  acquire?(ask: AcquireOptions): Promise<unknown>;
}

function grantOf(cost: number): Grant {
  return { cost, waitedMs: 0, grantedAtMs: 0, conforming: true, settle: () => undefined };
}

/** A bucket that does just what a test says. */
export function bucketThat({ tryAcquire, acquire }: Does): TokenBucket {
  return {
    tryAcquire: (cost = 1) => (tryAcquire(cost) ? grantOf(cost) : undefined),
    async acquire(ask = {}): Promise<Grant> {
      await acquire?.(ask);
      return grantOf(ask.cost ?? 1);
    },
  };
}
