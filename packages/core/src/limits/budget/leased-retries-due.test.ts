import { describe, expect, test } from 'vitest';
import { LeasedRetries } from './leased-retries.ts';

const NEVER = Number.POSITIVE_INFINITY;
const terms = { aheadMs: 100, windowMs: 10_000 };

describe('when to call the store', () => {
  const call = (lease: LeasedRetries, nowMs: number): void => {
    lease.call(nowMs);
    lease.callEnded();
  };
  const lease = (): LeasedRetries => {
    const lease = new LeasedRetries(terms);
    call(lease, 0);
    lease.granted(1, 0);
    return lease;
  };

  test.each<[story: string, act: (lease: LeasedRetries) => unknown, dueMs: number]>([
    ['never, with nothing to report', () => undefined, NEVER],
    ['a while after the last call, with a success', (one) => one.deposit(), 100],
    ['and with a retry that was spent', (one) => one.withdraw(1), 100],
    ['and with a request that finds no retry', (one) => [one.begin(1), one.begin(1)], 100],
    ['not with one that finds its retry', (one) => one.begin(1), NEVER],
    ['with a retry to return alone', (one) => [one.withdraw(1), call(one, 50), one.refund(10_000)], 150],
    ['not during a call, whatever happens meanwhile', (one) => [one.call(50), one.deposit()], NEVER],
    ['at the end of all requests, to return the retry', (one) => one.close(), 100],
    ['not at the end without a retry, for one missed', (one) => [one.withdraw(1), one.close()], NEVER],
    [
      'not for a grant of nothing',
      (one) => {
        one.withdraw(1);
        call(one, 50);
        one.granted(0, 50);
        one.begin(60);
        call(one, 60);
        one.end();
      },
      NEVER,
    ],
  ])('%s', (_, act, dueMs) => {
    const one = lease();
    act(one);
    expect(one.dueMs).toBe(dueMs);
  });

  test('an end without a begin is ignored', () => {
    const lease = new LeasedRetries(terms);
    lease.end();
    lease.begin(0);
    expect(lease.dueMs).toBe(Number.NEGATIVE_INFINITY);
    expect(lease.call(0).wanted).toBe(1);
  });

  test('successes that are taken out are not reported', () => {
    const one = lease();
    one.deposit();
    one.deposit();
    expect([one.takeDeposits(), one.takeDeposits()]).toEqual([2, 0]);
    expect(one.call(100).deposits).toBe(0);
  });

  test('after the end of all requests a client that does not count them returns all, and leases none', () => {
    const one = lease();
    one.close();
    expect(one.call(100)).toEqual({ deposits: 0, returned: 1, wanted: 0 });
  });
});

test('the last tenth of a lease: it is kept at its beginning, returned in it, and lost after it', () => {
  const after = (nowMs: number) => {
    const lease = new LeasedRetries(terms);
    lease.begin(0);
    lease.granted(1, 0);
    return [lease.call(nowMs), lease.leased(nowMs)];
  };
  expect(after(9_000)).toEqual([{ deposits: 0, returned: 0, wanted: 0 }, 1]);
  expect(after(9_001)).toEqual([{ deposits: 0, returned: 1, wanted: 1 }, 0]);
  expect(after(10_000)).toEqual([{ deposits: 0, returned: 0, wanted: 1 }, 0]);
  const spent = new LeasedRetries(terms);
  spent.granted(1, 0);
  expect(spent.withdraw(10_000)).toBe(false);
});
