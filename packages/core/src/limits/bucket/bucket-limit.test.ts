import { expect, test } from 'vitest';
import { REQUEST } from '../../../test/call-with-limits.ts';
import { ownBucket } from '../../../test/own.ts';
import { throwing } from '../../../test/throwing.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { BucketMethods } from '../../policy/contracts.ts';
import type { Limit, Wait } from '../../policy/limit.ts';
import { virtualClock } from '../../testing.ts';
import { tokenBucket } from './token-bucket.ts';

const limitOf = (bucket: { readonly limit: { readonly limit: unknown } }): Limit =>
  bucket.limit.limit as Limit;
const callOf = (more: object = {}): CallView => ({ request: REQUEST, policy: { cost: 1 }, ...more }) as never;

function setUp() {
  const bucket = tokenBucket({ refillPerSecond: 1, capacity: 3, clock: virtualClock({ startMs: 0 }) });
  /** The call around it. */
  const outer = {
    paidBuckets: new Set<unknown>(),
    bucketsTaken: [] as unknown[],
    slotsHeld: [] as unknown[],
  };
  return { bucket, limit: limitOf(bucket), outer, tokens: () => bucket.stats().tokens };
}

test('user code that has paid pays for one request, also if that is asked for again after a wait', () => {
  const { bucket, limit, outer, tokens } = setUp();
  outer.paidBuckets.add(bucket);
  const call = callOf({ outer });
  const paid = limit.take?.(call, undefined);
  expect(limit.take?.(call, paid as never)).toHaveProperty('cancel');
  expect([tokens(), call.grant]).toEqual([3, undefined]);
  limit.take?.(callOf({ outer }), undefined);
  expect(tokens()).toBe(2);
});

test.each<[story: string, isInner: boolean, of: 'bucketsTaken' | 'slotsHeld', tokens: number]>([
  ['a nested call takes none that the call around it has taken', true, 'bucketsTaken', 3],
  ['another request takes its own', false, 'bucketsTaken', 2],
  ['a nested call takes those that are held around it', true, 'slotsHeld', 2],
])('%s', (_, isInner, of, left) => {
  const { bucket, limit, outer, tokens } = setUp();
  outer[of].push(bucket);
  limit.take?.(callOf({ outer, isInner }), undefined);
  expect(tokens()).toBe(left);
});

test('a call waits for tokens by itself, unless the call around it may hold them', () => {
  const { bucket, limit, outer } = setUp();
  bucket.tryAcquire(3);
  expect(limit.take?.(callOf(), undefined)).toMatchObject({ endsItself: true } satisfies Partial<Wait>);
  expect(limit.take?.(callOf({ outer }), undefined)).toHaveProperty('acquire');
  outer.slotsHeld.push(bucket);
  expect(limit.take?.(callOf({ outer }), undefined)).toBeUndefined();
});

test.each<[thrown: Error, cost: unknown, name: string]>([
  [new RangeError('cost'), () => 5, 'HookError'],
  [new RangeError('cost'), 5, 'RangeError'],
  [new Error('the store is down'), () => 5, 'Error'],
])(
  'an error of a bucket (%s) is one of the function `cost` only if it is about a cost: %#',
  (thrown, cost, name) => {
    const bucket = ownBucket({ tryAcquire: throwing(thrown) } as unknown as BucketMethods);
    let error: unknown;
    try {
      limitOf(bucket).take?.(callOf({ policy: { cost } }), undefined);
    } catch (caught) {
      error = caught;
    }
    const own = name === 'HookError' ? { cause: thrown } : { message: thrown.message };
    expect([Object(error).constructor.name, error]).toEqual([name, expect.objectContaining(own)]);
  },
);
