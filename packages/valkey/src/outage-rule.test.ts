import { expect, test } from 'vitest';
import { fleetSetup, type ValkeyBucketOptions } from './options.ts';
import { Outage, retryDelayMs } from './outage.ts';

const client = { evalsha: () => Promise.reject(), eval: () => Promise.reject() };

function setupOf(options: Partial<ValkeyBucketOptions> = {}) {
  const limit = { refillPerSecond: 100, capacity: 20 };
  return fleetSetup({ client, key: 'k', ...limit, random: () => 0, ...options });
}

test.each([
  [0, 100],
  [1, 200],
  [2, 400],
  [3, 500],
  [30, 500],
])('after %d retries the store is tried again in %d ms', (retries, delayMs) => {
  expect(retryDelayMs(setupOf(), retries)).toBe(delayMs);
  expect(retryDelayMs(setupOf({ random: () => 1 }), retries)).toBe(delayMs / 2);
});

test.each([
  ['open', 0.5, 'open', true],
  ['closed', 0.5, 'closed', false],
  ['local', 0.5, 'local', true],
  ['local', 0, 'closed', false],
] as const)('%s with a share of %d: it is %s', (onStoreError, share, mode, isGranted) => {
  const outage = new Outage(setupOf({ onStoreError }), new Error('gone'), share, 0, [-1_000], 0);
  expect([outage.mode, outage.take([1e6], 0)]).toEqual([mode, isGranted]);
});

test('a process has its share of the rate and of the capacity', () => {
  const outage = new Outage(setupOf(), new Error('gone'), 0.5, 0, [0], 0);
  const tokensAt = (nowMs: number) => (outage.local[0]?.tokens(nowMs) ?? 0) / 1e6;
  expect([0, 100, 60_000].map(tokensAt)).toEqual([0, 5, 10]);
});
