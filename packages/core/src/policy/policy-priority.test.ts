import { describe, expect, test } from 'vitest';
import { REQUEST } from '../../test/call-with-limits.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import { concurrencyLimit } from '../limits/concurrency/concurrency.ts';
import { forRequest } from '../limits/limit.ts';
import { perKey } from '../limits/per-key/per-key.ts';
import { priorityQueue } from '../queue/order.ts';
import type { QueueOrder } from '../queue/queue.ts';
import type { PolicyOptions } from './options.ts';
import { createPolicy, overridePolicy } from './policy.ts';

const MESSAGE = 'priority must be 0 at a limit without `queue: priorityQueue()`, got 1';

const limits: readonly [name: string, make: (queue?: QueueOrder) => PolicyOptions][] = [
  ['a bucket', (queue) => ({ bucket: tokenBucket({ refillPerSecond: 1, queue }) })],
  ['a limit', (queue) => ({ concurrency: concurrencyLimit({ maxConcurrent: 1, queue }) })],
];

describe.each(limits)('a priority at %s', (_, make) => {
  test('needs a queue with priorities, in a policy and in one request', () => {
    expect(() => createPolicy({ ...make(), priority: 1 })).toThrow(TypeError);
    expect(() => createPolicy({ ...make(), priority: 1 })).toThrow(MESSAGE);
    expect(() => overridePolicy(createPolicy(make()), { priority: 1 })).toThrow(MESSAGE);
    expect(createPolicy({ ...make(), priority: 0 }).priority).toBe(0);
  });

  test('is taken by a priority queue', () => {
    const limit = make(priorityQueue());
    expect(createPolicy({ ...limit, priority: 1 }).priority).toBe(1);
    expect(overridePolicy(createPolicy(limit), { priority: -7 }).priority).toBe(-7);
  });
});

test('per key it is known with the limit of the request', () => {
  const plain = perKey(() => tokenBucket({ refillPerSecond: 1 }));
  createPolicy({ bucket: plain, priority: 1 });
  expect(() => forRequest(plain, REQUEST, undefined, { priority: 1 })).toThrow(MESSAGE);
  expect(forRequest(plain, REQUEST, undefined, { priority: 0 })).toBe(plain.for(REQUEST));
  const queue = priorityQueue();
  const ordered = perKey(() => tokenBucket({ refillPerSecond: 1, queue }));
  expect(forRequest(ordered, REQUEST, undefined, { priority: 1 })).toBe(ordered.for(REQUEST));
});

test.each<[asked: PolicyOptions, message: string]>([
  [{ priority: 1 }, MESSAGE],
  [{ fairKey: () => 'a' }, 'fairKey must be left out at a limit without `queue: fairQueue()`'],
  [{ cost: { tokens: 1 } }, 'createPolicy: cost must be a number'],
])('a policy for limits per key of which one was made: %o', (asked, message) => {
  const bucket = perKey(() => tokenBucket({ refillPerSecond: 1 }));
  expect(() => createPolicy({ bucket, ...asked })).not.toThrow();
  bucket.for(REQUEST);
  expect(() => createPolicy({ bucket, ...asked })).toThrow(TypeError);
  expect(() => createPolicy({ bucket, ...asked })).toThrow(message);
});
