import { describe, expect, test } from 'vitest';
import { fleetSetup, type ValkeyBucketOptions } from './options.ts';

const client = { evalsha: async () => [], eval: async () => [] };
const setupOf = (options: object): ReturnType<typeof fleetSetup> =>
  fleetSetup({ client, key: 'k', refillPerSecond: 100, ...options } as ValkeyBucketOptions);

describe('options', () => {
  test('have their defaults', () => {
    expect(setupOf({})).toMatchObject({
      key: 'ebb:{k}',
      capacity: 20,
      aheadMs: 100,
      onStoreError: 'local',
      timeoutMs: 250,
      connectTimeoutMs: undefined,
      retryMs: 500,
      nonConforming: 'delay',
      feedbackScope: 'origin',
      maxPauseMs: 600_000,
    });
    expect(setupOf({ refillPerSecond: 0.5 }).capacity).toBe(1);
    expect(setupOf({ prefix: '' }).key).toBe('{k}');
  });

  test('borrow for no longer than half the time in which the bucket fills', () => {
    expect(setupOf({ lease: { aheadMs: 40 } }).aheadMs).toBe(40);
    expect(setupOf({ lease: { aheadMs: 4_000 } }).aheadMs).toBe(100);
    expect(setupOf({ lease: { aheadMs: 4_000 }, capacity: 500 }).aheadMs).toBe(2_500);
  });

  test.each([
    [{ client: undefined }, TypeError, /client takes a client of iovalkey/],
    [{ key: '' }, RangeError, /key takes a text that is not empty/],
    [{ key: 'a{b}' }, RangeError, /key takes a text without braces/],
    [{ key: 7 }, TypeError, /key takes a text/],
    [{ key: undefined }, TypeError, /key takes a text/],
    [{ prefix: '{' }, RangeError, /prefix takes a text without braces/],
    [{ refillPerSecond: 0 }, RangeError, /refillPerSecond takes a number above 0 and at most 1000000000/],
    [{ refillPerSecond: Number.POSITIVE_INFINITY }, RangeError, /refillPerSecond/],
    [{ refillPerSecond: undefined }, TypeError, /refillPerSecond/],
    [{ capacity: 2e9 }, RangeError, /capacity takes at most 1000000000/],
    [{ refillPerSecond: 2e9 }, RangeError, /refillPerSecond takes a number above 0 and at most 1000000000/],
    [{ refillPerSecond: 1e-9, capacity: 10 }, RangeError, /refillPerSecond takes at least/],
    [{ lease: 5 }, TypeError, /lease takes an object/],
    [{ lease: { ms: 5 } }, TypeError, /lease has no option "ms"/],
    [{ lease: { aheadMs: 0 } }, RangeError, /lease: aheadMs takes/],
    [{ onStoreError: 'ignore' }, RangeError, /onStoreError takes 'local' or 'open' or 'closed'/],
    [{ localShare: 1.1 }, RangeError, /localShare takes a number above 0 and at most 1/],
    [{ timeoutMs: '250' }, TypeError, /timeoutMs/],
    [{ connectTimeoutMs: -1 }, RangeError, /connectTimeoutMs takes/],
    [{ retryMs: Number.NaN }, RangeError, /retryMs/],
    [{ onStoreEvent: 'log' }, TypeError, /onStoreEvent takes a function/],
    [{ feedbackScope: 'fleet' }, RangeError, /feedbackScope takes 'origin' or 'bucket'/],
    [{ initialTokens: 0 }, TypeError, /has no option "initialTokens"/],
  ])('%o is wrong, and the error says how', (wrong, kind, message) => {
    expect(() => setupOf(wrong)).toThrow(kind);
    expect(() => setupOf(wrong)).toThrow(message);
  });
});
