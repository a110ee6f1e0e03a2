import { describe, expect, test } from 'vitest';
import { callWith, followed, limitOf, outerOf, REQUEST, response } from '../../test/call-with-limits.ts';
import { ownBucket } from '../../test/own.ts';
import { constant } from '../backoff/curves.ts';
import type { Call } from '../call/call.ts';
import { layerOf } from '../call/transport.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { AroundCalls, isSame, type OuterCall, type Way } from './outer-call.ts';

/** A bucket that grants everything. */
const bucketOf = () =>
  ownBucket({
    tryAcquire: (cost = 1) => ({
      ...{ cost, waitedMs: 0, grantedAtMs: 0, conforming: true },
      settle: () => undefined,
    }),
    acquire: () => Promise.reject(new Error('it never waits')),
  });

const [slot, held] = [{ name: 'slot' }, { name: 'held' }];

/** A limit whose slot each attempt holds. */
const slots = limitOf({
  take(call) {
    call.bodyHolder = slot;
    return { cancel: () => undefined };
  },
});

/** A call whose first attempt was sent, within this one; others may be within it. */
const within = (outer: OuterCall | undefined, options: PolicyOptions = {}, way: Way = 'converted') =>
  callWith({ backoff: constant(0), ...options }, [slots], outer, REQUEST, way).call;

/** Sends the next attempt. */
async function retried(call: Call): Promise<void> {
  call.ended(response(503));
  call.released();
  await followed(call, call.next());
}

describe('what calls within an attempt find', () => {
  test('is the call around them, and what its attempt has taken', () => {
    const bucket = bucketOf();
    const call = within(undefined, { bucket });
    expect(layerOf(call)).toBe(call);
    expect(call).toMatchObject({ isInner: false, isOpen: true, bucketsTaken: [bucket], slotsHeld: [slot] });
    expect([call.sends(REQUEST), call.sends({ ...REQUEST, method: 'PUT' })]).toEqual([true, false]);
    expect(call.paidBuckets).toBeUndefined();
  });

  test('is there for all of its attempts, and closed with the last', async () => {
    const bucket = bucketOf();
    const call = within(undefined, { bucket });
    await retried(call);
    expect(call).toMatchObject({ attempt: 2, isOpen: true, bucketsTaken: [bucket], slotsHeld: [slot] });
    call.ended(response(200));
    expect(call.isOpen).toBe(false);
  });

  test('is nothing if there can be none, unless it holds a slot', () => {
    expect(layerOf(callWith({}, [], undefined, REQUEST, 'socket').call)).toBeUndefined();
    const holding = within(undefined, {}, 'socket');
    expect([layerOf(holding), holding.slotsHeld]).toEqual([holding, [slot]]);
  });
});

describe('an inner call', () => {
  test('shows the buckets of the outer one beside its own, and its slots: it takes none', () => {
    const [bucket, other] = [bucketOf(), bucketOf()];
    const outer = outerOf(REQUEST, [held], [other]);
    const call = within(outer, { bucket });
    expect(call).toMatchObject({ isInner: true, bucketsTaken: [other, bucket], slotsHeld: [held] });
    expect(outer).toMatchObject({ bucketsTaken: [other], slotsHeld: [held] });
    call.close('success');
    expect([call.isOpen, outer.isOpen]).toEqual([false, true]);
  });
});

test('a call of another request shows the slots around it, and no buckets', () => {
  const call = within(outerOf({ ...REQUEST, method: 'PUT' }, [held], [bucketOf()]));
  expect([call.isInner, call.bucketsTaken, call.slotsHeld]).toEqual([false, [], [held, slot]]);
});

describe('a function', () => {
  test('has no request, and each attempt begins without a failed one within', async () => {
    const call = within(undefined, {}, 'function');
    expect([call.sends(REQUEST), call.paidBuckets]).toEqual([false, undefined]);
    call.hasFailed = true;
    await retried(call);
    expect(call.hasFailed).toBe(false);
  });

  test('pays its bucket for the first request that it sends', () => {
    const bucket = bucketOf();
    const call = within(undefined, { bucket }, 'function');
    expect(call.paidBuckets).toEqual(new Set([bucket]));
    const takes = () => within(call, { bucket }).grant !== undefined;
    expect([takes(), takes()]).toEqual([false, true]);
  });
});

test.each<[what: string, request: (() => typeof REQUEST) | undefined, isOne: boolean]>([
  ['a call that is sent before it is made sends its request', () => REQUEST, true],
  ['the request of user code is never the same', undefined, false],
])('%s', (_, request, isOne) => {
  const around = new AroundCalls(request, [held]);
  expect([around.sends({ ...REQUEST }), around.slotsHeld, around.bucketsTaken]).toEqual([isOne, [held], []]);
});

describe('a request is the same', () => {
  test.each<[what: string, other: object, isOne: boolean]>([
    ['as itself', {}, true],
    ['with other headers', { header: () => 'x' }, true],
    ['with a fragment, which is not sent', { url: 'https://a.test/?q=1#part' }, true],
    ['in another form', { url: 'HTTPS://A.test:443/x/../?q=1' }, true],
    ['with another query', { url: 'https://a.test/?q=2' }, false],
    ['with another path', { url: 'https://a.test/x?q=1' }, false],
    ['by another method', { method: 'POST' }, false],
  ])('%s: %s, %s', (_, other, isOne) => {
    const request = { ...REQUEST, url: 'https://a.test/?q=1' };
    expect(isSame({ ...request, ...other }, request)).toBe(isOne);
  });

  test('whose URL none can read, by its text', () => {
    const request = { ...REQUEST, url: '/a' };
    expect([isSame({ ...request }, request), isSame({ ...request, url: '/b' }, request)]).toEqual([
      true,
      false,
    ]);
  });
});
