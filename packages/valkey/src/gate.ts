import { type MemoryBucket, tokenBucket } from '@ebb/core';
import type { FleetSetup } from './options.ts';

/** A bucket of this process that stands in front of the shared one for an origin that asked to be left alone. */
export function originGate(setup: FleetSetup): MemoryBucket {
  const { refillPerSecond, capacity, nonConforming, clock } = setup;
  const { maxQueue, overflow, maxWaitMs, agingMs } = setup;
  return tokenBucket({
    ...{ refillPerSecond, capacity, initialTokens: 0, nonConforming, clock, feedback: false },
    ...(maxQueue !== Number.POSITIVE_INFINITY && { maxQueue }),
    ...(maxWaitMs !== Number.POSITIVE_INFINITY && { maxWaitMs }),
    ...{ overflow, agingMs },
  });
}
