import { describe, expect, test } from 'vitest';
import { response } from '../../../test/call-with-part.ts';
import type { Grant, OwnBucket } from '../../loop/contracts.ts';
import type { PartCall, PartInstance } from '../../loop/part.ts';
import { settledPart } from './part.ts';

/** A call with a bucket that charges at the end, and what its grants were settled at. */
function begun(own: object = {}) {
  const charged: string[] = [];
  let granted = 0;
  const bucket: OwnBucket = {
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
    layers: { bucketsTaken: [], slotsHeld: [], paidBuckets: undefined },
    ...own,
  } as unknown as PartCall & { meteredGrant?: Grant | undefined };
  const part = settledPart(bucket);
  const instance = part.begin(call) as PartInstance;
  return { part, bucket, call, instance, charged };
}

test('its name, and its place', () => {
  expect(begun().part).toMatchObject({ name: 'bucket', place: 'tokens' });
});

describe('the tokens of an attempt are charged', () => {
  test('once its body has ended, which the client tells the bucket', () => {
    const { bucket, call, instance, charged } = begun();
    instance.acquire?.();
    instance.leave?.(response(200));
    expect([call.bodyHolder, charged]).toEqual([bucket, []]);
    instance.free?.();
    instance.free?.();
    expect([call.bodyHolder, charged]).toEqual([undefined, ['grant 1: 7']]);
  });

  test('once a promise is kept', async () => {
    const { instance, charged } = begun();
    instance.acquire?.();
    instance.leave?.(response(200));
    instance.free?.(Promise.resolve());
    expect(charged).toEqual([]);
    await Promise.resolve();
    expect(charged).toEqual(['grant 1: 7']);
  });

  test('as it ends, if no layer has told how the attempt ended', () => {
    const { instance, charged } = begun();
    instance.acquire?.();
    instance.end?.('success');
    expect(charged).toEqual(['grant 1: 7']);
  });

  test('at the end of the body, if the call ends first', () => {
    const { instance, charged } = begun();
    instance.acquire?.();
    instance.leave?.(response(200));
    instance.end?.('success');
    expect(charged).toEqual([]);
    instance.free?.();
    expect(charged).toEqual(['grant 1: 7']);
  });
});

describe('nothing is charged', () => {
  test.each<[what: string, run: (instance: PartInstance, call: ReturnType<typeof begun>['call']) => void]>([
    ['of an attempt that took nothing', (instance) => instance.leave?.(response(200))],
    ['of a call that took nothing', (instance) => instance.end?.('success')],
    [
      'of an attempt whose cost another part settles',
      (instance, call) => {
        instance.acquire?.();
        call.meteredGrant = call.grant;
        instance.leave?.(response(200));
        instance.free?.();
        instance.end?.('success');
      },
    ],
    [
      'of a call whose last cost another part settles',
      (instance, call) => {
        instance.acquire?.();
        call.meteredGrant = call.grant;
        instance.end?.('success');
      },
    ],
  ])('%s', (_, run) => {
    const { instance, call, charged } = begun();
    run(instance, call);
    expect([charged, call.bodyHolder]).toEqual([[], undefined]);
  });
});

test('tokens of what was not sent go back', () => {
  const { instance, call, charged } = begun();
  instance.acquire?.();
  instance.leave?.(undefined);
  instance.free?.();
  expect([charged, call.grant, call.bodyHolder]).toEqual([['grant 1: 0'], undefined, undefined]);
});

test('what holds the body already goes on to', () => {
  const holder = {};
  const { instance, call, charged } = begun({ bodyHolder: holder });
  instance.acquire?.();
  instance.leave?.(response(200));
  expect(call.bodyHolder).toBe(holder);
  instance.free?.();
  expect([charged, call.bodyHolder]).toEqual([['grant 1: 7'], holder]);
});
