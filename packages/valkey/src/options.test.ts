import { describe, expect, test } from 'vitest';
import { newLease, timesOf } from './lease.ts';
import { fleetSetup, type ValkeyBucketOptions } from './options.ts';

const client = { evalsha: async () => [], eval: async () => [] };
const setupOf = (options: object): ReturnType<typeof fleetSetup> =>
  fleetSetup({ client, key: 'k', refillPerSecond: 100, ...options } as ValkeyBucketOptions);

describe('options', () => {
  test('have their defaults', () => {
    expect(setupOf({})).toMatchObject({
      key: 'ebb:{k}',
      limits: [{ refillPerSecond: 100, capacity: 20 }],
      wantedAheadMs: 100,
      onStoreError: 'local',
      timeoutMs: 250,
      connectTimeoutMs: undefined,
      retryMs: 500,
      nonConforming: 'delay',
      feedbackScope: 'origin',
      maxPauseMs: 600_000,
    });
    expect(setupOf({ refillPerSecond: 0.5 }).limits[0]?.capacity).toBe(1);
    expect(setupOf({ prefix: '' }).key).toBe('{k}');
  });

  test('lease ahead for at most half the time in which the bucket fills', () => {
    const aheadMs = (options: object): number => timesOf(newLease(setupOf(options), 'p', 0)).aheadMs;
    expect(aheadMs({ lease: { aheadMs: 40 } })).toBe(40);
    expect(aheadMs({ lease: { aheadMs: 4_000 } })).toBe(100);
    expect(aheadMs({ lease: { aheadMs: 4_000 }, capacity: 500 })).toBe(2_500);
  });

  test.each([
    [{ client: undefined }, TypeError, /client must be a client of iovalkey/],
    [{ client: { evalsha: () => {} } }, TypeError, /client must be a client of iovalkey/],
    [{ key: '' }, RangeError, /key must be a string that is not empty/],
    [{ key: 'a{b}' }, RangeError, /key must be a string without braces/],
    [{ key: 7 }, TypeError, /key must be a string/],
    [{ prefix: '{' }, RangeError, /prefix must be a string without braces/],
    [{ refillPerSecond: 0 }, RangeError, /refillPerSecond must be a number from 1e-9 to 1e9/],
    [{ refillPerSecond: undefined }, TypeError, /refillPerSecond/],
    [{ capacity: 2e9 }, RangeError, /capacity must be a number from 1e-9 to 1e9/],
    [{ refillPerSecond: 1e-9, capacity: 10 }, RangeError, /refillPerSecond must be at least/],
    [{ lease: 5 }, TypeError, /lease must be an object/],
    [{ lease: { ms: 5 } }, TypeError, /lease has no option "ms"/],
    [{ lease: { aheadMs: 0 } }, RangeError, /lease.aheadMs must be/],
    [{ onStoreError: 'ignore' }, RangeError, /onStoreError must be one of 'local', 'open', 'closed'/],
    [{ localShare: 1.1 }, RangeError, /localShare must be a number > 0 and ≤ 1/],
    [{ timeoutMs: '250' }, TypeError, /timeoutMs/],
    [{ connectTimeoutMs: -1 }, RangeError, /connectTimeoutMs must be/],
    [{ retryMs: Number.NaN }, RangeError, /retryMs/],
    [{ onStoreEvent: 'log' }, TypeError, /onStoreEvent must be a function/],
    [{ feedbackScope: 'fleet' }, RangeError, /feedbackScope must be one of 'origin', 'bucket'/],
    [{ initialTokens: 0 }, TypeError, /has no option "initialTokens"/],
  ])('%o is rejected, and the error names the option', (wrong, kind, message) => {
    expect(() => setupOf(wrong)).toThrow(kind);
    expect(() => setupOf(wrong)).toThrow(message);
  });
});
