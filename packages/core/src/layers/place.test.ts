import { describe, expect, test } from 'vitest';
import type { LayeredCall } from './layer.ts';
import { LayerPlace } from './place.ts';

const REQUEST = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };
const [bucket, other, slot, held] = [{}, {}, {}, {}];

const callOf = (fields: Partial<LayeredCall> = {}): LayeredCall => ({
  request: REQUEST,
  open: true,
  dispatched: false,
  slotsOf: [],
  ...fields,
});

describe('the outermost layer', () => {
  const outermost = () => new LayerPlace(REQUEST, { outer: undefined, slotsOf: [held] });

  test('opens a call with each attempt, and shows what it has taken', () => {
    const place = outermost();
    expect([place.isInner, place.bucketsTaken, place.slotsHeld, place.passage]).toEqual([
      false,
      [],
      [held],
      undefined,
    ]);
    place.enter(bucket, slot);
    expect(place.passage).toEqual({
      call: { request: REQUEST, open: true, dispatched: false, slotsOf: [held, slot] },
      tookFrom: [bucket],
    });
    const { call } = place.passage ?? {};
    place.close();
    expect(call?.open).toBe(false);
    // A download that breaks is resumed after the call has ended.
    place.enter(undefined, undefined);
    expect(place.passage?.call).toBe(call);
    expect(place.passage).toEqual({
      call: { request: REQUEST, open: true, dispatched: false, slotsOf: [held] },
      tookFrom: [],
    });
    place.close();
  });

  test('has nothing to close before its first attempt', () => {
    expect(() => outermost().close()).not.toThrow();
    expect(outermost().sending(() => 'sent')).toBe('sent');
  });

  test('a request pays no bucket beforehand, and no call below it fails', () => {
    const place = outermost();
    place.enter(bucket, undefined);
    expect([place.paidBuckets, place.passage?.call.paid, place.failedBelow]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    place.close();
  });
});

test('an inner layer shows the call of the outer one, and all buckets that were taken from', () => {
  const call = callOf({ slotsOf: [held] });
  const place = new LayerPlace(REQUEST, { outer: { call, tookFrom: [other] }, slotsOf: [held] });
  expect([place.isInner, place.bucketsTaken]).toEqual([true, [other]]);
  place.enter(bucket, slot);
  expect(place.passage).toEqual({ call, tookFrom: [other, bucket] });
  expect(place.passage?.call).toBe(call);
  expect(call.slotsOf).toEqual([held]);
  place.enter(undefined, undefined);
  expect(place.passage?.tookFrom).toEqual([other]);
});

test('a call that user code has made knows which buckets were paid', () => {
  const paid = new Set([bucket]);
  const place = new LayerPlace(REQUEST, { outer: undefined, slotsOf: [], maker: callOf({ paid }) });
  expect(place.paidBuckets).toBe(paid);
});

describe('a function', () => {
  const ofFunction = () => new LayerPlace(undefined, { outer: undefined, slotsOf: [] });

  test.each<[object | undefined, Set<object> | undefined]>([
    [bucket, new Set([bucket])],
    [undefined, undefined],
  ])('pays its bucket for the first request that it sends', (taken, paid) => {
    const place = ofFunction();
    place.enter(taken, undefined);
    expect(place.passage?.call.paid).toEqual(paid);
    place.close();
  });

  test('each attempt begins without a failed call below', () => {
    const place = ofFunction();
    place.enter(undefined, undefined);
    expect(place.failedBelow).toBe(false);
    Object.assign(place.passage?.call ?? {}, { hasFailed: true });
    expect(place.failedBelow).toBe(true);
    place.enter(undefined, undefined);
    expect(place.failedBelow).toBe(false);
    place.close();
  });
});
