import { expect, test } from 'vitest';
import { LoneLease, reply } from '../test/lone-lease.ts';
import { retryDelayMs, tokensOf } from './lease.ts';
import { fleetSetup, type ValkeyBucketOptions } from './options.ts';

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

/** The lease of a process that had this share, and has lost its store at 0. */
function lost(options: Partial<ValkeyBucketOptions>, share: number): LoneLease {
  const lease = new LoneLease(options);
  const told = lease.peek(-1);
  lease.step(-1, undefined, { call: told, sentAtMs: -1, reply: reply({ share: share * 1e6, processes: 2 }) });
  const call = lease.peek(0);
  lease.step(0, undefined, { call, sentAtMs: 0, error: new Error('gone') });
  return lease;
}

test.each([
  ['open', 0.5, 'open', true],
  ['closed', 0.5, 'closed', false],
  ['local', 0.5, 'local', true],
  ['local', 0, 'closed', false],
] as const)('%s with a share of %d: it is %s', (onStoreError, share, mode, isGranted) => {
  const lease = lost({ onStoreError }, share);
  expect([lease.state.outage?.mode, lease.take([1e6], 1_000)]).toEqual([mode, isGranted]);
});

test('a process has its share of the rate and of the capacity', () => {
  const lease = lost({}, 0.5);
  expect([0, 100, 60_000].map((nowMs) => tokensOf(lease.state, 0, nowMs) / 1e6)).toEqual([0, 5, 10]);
});

test('what the fleet had leased ahead when the store was lost is not spent again', () => {
  const lease = new LoneLease();
  const told = { share: 5e5, processes: 2, emptyInMs: 1_000 };
  lease.step(0, undefined, { call: lease.peek(0), sentAtMs: 0, reply: reply(told) });
  lease.step(0, undefined, { call: lease.peek(0), sentAtMs: 0, error: new Error('gone') });
  expect([1_000, 1_100].map((nowMs) => tokensOf(lease.state, 0, nowMs) / 1e6)).toEqual([0, 5]);
});
