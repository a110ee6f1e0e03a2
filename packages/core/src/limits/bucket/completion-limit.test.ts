import { describe, expect, test } from 'vitest';
import { response } from '../../../test/call-with-limits.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { BucketMethods, Grant } from '../../policy/contracts.ts';
import type { Limit, Permit } from '../../policy/limit.ts';
import { completionLimit } from './bucket-limit.ts';

/** A call with a bucket that charges at the end, and what its grants were settled at. */
function begun(own: object = {}) {
  const charged: string[] = [];
  let granted = 0;
  const bucket: BucketMethods = {
    tryAcquire() {
      granted += 1;
      const name = `grant ${granted}`;
      return { cost: 7, settle: (cost) => void charged.push(`${name}: ${cost}`) } as Grant;
    },
    acquire: () => Promise.reject(new Error('it never waits')),
  };
  const call = {
    policy: {},
    request: { method: 'GET', url: 'http://a.test/' },
    isInner: false,
    ...own,
  } as unknown as CallView;
  const limit = completionLimit(bucket).limit as Limit;
  const take = () => limit.take?.(call, undefined) as Permit;
  return { limit, bucket, call, take, charged };
}

describe('the tokens of an attempt are charged', () => {
  test('once its body has ended, which the client tells the bucket', () => {
    const { bucket, call, take, charged } = begun();
    const permit = take();
    permit.settle?.(response(200));
    expect([call.bodyHolder, charged]).toEqual([bucket, []]);
    permit.release?.();
    permit.release?.();
    expect([call.bodyHolder, charged]).toEqual([undefined, ['grant 1: 7']]);
  });

  test('once a promise is kept', async () => {
    const { take, charged } = begun();
    const permit = take();
    permit.settle?.(response(200));
    permit.release?.(Promise.resolve());
    expect(charged).toEqual([]);
    await Promise.resolve();
    expect(charged).toEqual(['grant 1: 7']);
  });

  test('also if the bucket fails to observe the outcome', () => {
    const { bucket, take, charged } = begun();
    bucket.observe = () => {
      throw new Error('unreadable');
    };
    const permit = take();
    expect(() => permit.settle?.(response(200))).toThrow('unreadable');
    permit.release?.();
    expect(charged).toEqual(['grant 1: 7']);
  });
});

describe('nothing is charged', () => {
  test.each<[what: string, run: (permit: Permit, call: ReturnType<typeof begun>['call']) => void]>([
    ['of an attempt that has not ended', () => undefined],
    [
      'of an attempt whose cost another part settles',
      (permit, call) => {
        call.meteredGrant = call.grant;
        permit.settle?.(response(200));
        permit.release?.();
      },
    ],
  ])('%s', (_, run) => {
    const { take, call, charged } = begun();
    run(take(), call);
    expect([charged, call.bodyHolder]).toEqual([[], undefined]);
  });
});

test('tokens of what was not sent go back', () => {
  const { take, call, charged } = begun();
  const permit = take();
  permit.cancel();
  permit.release?.();
  expect([charged, call.grant, call.bodyHolder]).toEqual([['grant 1: 0'], undefined, undefined]);
});

test('what holds the body already goes on to', () => {
  const holder = {};
  const { take, call, charged } = begun({ bodyHolder: holder });
  const permit = take();
  permit.settle?.(response(200));
  expect(call.bodyHolder).toBe(holder);
  permit.release?.();
  expect([charged, call.bodyHolder]).toEqual([['grant 1: 7'], holder]);
});
