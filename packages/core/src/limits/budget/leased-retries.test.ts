import { describe, expect, test } from 'vitest';
import { LeasedRetries, leaseOf } from './leased-retries.ts';

const NEVER = Number.POSITIVE_INFINITY;
const terms = { aheadMs: 100, windowMs: 10_000 };

/** Retries of which one was asked for, for a request in flight. */
function leased(granted: number): LeasedRetries {
  const lease = new LeasedRetries(terms);
  lease.begin(0);
  lease.call(0);
  lease.callEnded();
  lease.granted(granted, 0);
  return lease;
}

test('the store leases half of its balance, but a single retry whole', () => {
  expect([leaseOf(0, 9), leaseOf(3, 9), leaseOf(8, 9), leaseOf(5, 1), leaseOf(5, 0)]).toEqual([
    0, 3, 4, 1, 0,
  ]);
});

describe('a client that calls begin and end', () => {
  test('leases one retry when a request starts, and returns it after a success', () => {
    const lease = new LeasedRetries(terms);
    expect(lease.dueMs).toBe(NEVER);
    lease.begin(0);
    expect(lease.dueMs).toBe(Number.NEGATIVE_INFINITY);
    expect(lease.call(0)).toEqual({ deposits: 0, returned: 0, wanted: 1 });
    expect(lease.dueMs).toBe(NEVER);
    lease.callEnded();
    lease.granted(1, 0);
    expect([lease.leased(5), lease.dueMs]).toEqual([1, NEVER]);
    lease.deposit();
    lease.end();
    expect(lease.dueMs).toBe(100);
    expect(lease.call(100)).toEqual({ deposits: 1, returned: 1, wanted: 0 });
    lease.callEnded();
    expect([lease.leased(100), lease.dueMs]).toEqual([0, NEVER]);
  });

  test('leases one for each request in flight, and another for each that is spent', () => {
    const lease = new LeasedRetries(terms);
    for (let time = 0; time < 5; time += 1) lease.begin(0);
    expect(lease.call(0).wanted).toBe(5);
    lease.callEnded();
    lease.granted(2, 0);
    expect([1, 2, 3].map(() => lease.withdraw(10))).toEqual([true, true, false]);
    expect(lease.dueMs).toBe(100);
    lease.end();
    expect(lease.call(100).wanted).toBe(4);
  });

  test('keeps its lease while one request follows another, but no longer', () => {
    const lease = leased(1);
    lease.end();
    lease.begin(50);
    // It has a retry: there is nothing to ask for.
    expect(lease.dueMs).toBe(NEVER);
    lease.end();
    expect(lease.call(100)).toEqual({ deposits: 0, returned: 0, wanted: 0 });
    lease.callEnded();
    expect(lease.dueMs).toBe(200);
    expect(lease.call(200)).toEqual({ deposits: 0, returned: 1, wanted: 0 });
  });
});

describe('a client that does not call them', () => {
  test('leases as many as have started since the last call, even if they have ended', () => {
    const lease = leased(0);
    for (let time = 0; time < 7; time += 1) {
      lease.begin(10);
      lease.end();
    }
    expect(lease.call(100).wanted).toBe(7);
  });

  test('leases one in advance, and twice what it lacked', () => {
    const lease = new LeasedRetries(terms);
    lease.deposit();
    expect(lease.call(0)).toEqual({ deposits: 1, returned: 0, wanted: 1 });
    lease.callEnded();
    lease.granted(1, 0);
    expect([1, 2, 3].map(() => lease.withdraw(10))).toEqual([true, false, false]);
    expect(lease.call(100).wanted).toBe(4);
  });
});

describe('a refund', () => {
  test('restores the retry, and none that was not withdrawn', () => {
    const lease = leased(1);
    lease.refund(1);
    expect(lease.leased(1)).toBe(1);
    expect(lease.withdraw(1)).toBe(true);
    lease.refund(2);
    lease.refund(2);
    expect([lease.leased(2), lease.leased(10_000)]).toEqual([1, 0]);
  });
});
