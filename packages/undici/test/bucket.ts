import { type AcquireOptions, type Grant, NotSentError, type TokenBucket } from '@ebb/core';
import { ownBucket } from '../../core/test/own.ts';

interface Behaviour {
  tryAcquire(cost?: number): boolean;
  acquire?(options: AcquireOptions): Promise<unknown>;
}

function grantOf(cost: number): Grant {
  return { cost, waitedMs: 0, grantedAtMs: 0, conforming: true, settle: () => undefined };
}

/** A bucket that grants and refuses as the test says. */
export function bucketThat({ tryAcquire, acquire }: Behaviour): TokenBucket {
  return ownBucket({
    tryAcquire: (cost = 1) => (tryAcquire(cost as number) ? grantOf(cost as number) : undefined),
    async acquire(options = {}): Promise<Grant> {
      await acquire?.(options);
      return grantOf((options.cost ?? 1) as number);
    },
  });
}

/** A bucket with tokens for `attempts` attempts. */
export function tokensFor(attempts: number): TokenBucket {
  let left = attempts;
  const refuse = (): never => {
    throw new NotSentError('no token', 0);
  };
  return bucketThat({ tryAcquire: () => left-- > 0, acquire: async () => refuse() });
}
