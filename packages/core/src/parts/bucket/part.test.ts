import { expect, test } from 'vitest';
import { ownBucket } from '../../../test/own.ts';
import type { Grant, OwnBucket } from '../../policy/contracts.ts';
import { retry } from '../../retry/retry.ts';

test('tokens of a paused origin go back while those of the bucket are waited for', async () => {
  const told: string[] = [];
  const grantOf = (name: string): Grant => {
    told.push(`${name} grants`);
    const settle = (cost: unknown) => void told.push(`${name} gets ${1 - Number(cost)} back`);
    return { cost: 1, waitedMs: 0, grantedAtMs: 0, conforming: true, settle };
  };
  const gate: OwnBucket = { tryAcquire: () => grantOf('origin'), acquire: async () => grantOf('origin') };
  const bucket = ownBucket({
    tryAcquire: () => undefined,
    acquire: async () => grantOf('bucket'),
    pausedBucketFor: () => gate,
  });
  await retry(() => 'up', { bucket });
  expect(told).toEqual(['origin grants', 'origin gets 1 back', 'bucket grants', 'origin grants']);
});
