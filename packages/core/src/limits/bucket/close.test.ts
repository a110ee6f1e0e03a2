import { describe, expect, test } from 'vitest';
import { asked, responds, taken, to } from '../../../test/asks.ts';
import { prepare } from '../../../test/steps.ts';
import { Call } from '../../call/call.ts';
import { serverFeedback } from '../../http/server-feedback.ts';
import { createPolicy } from '../../policy/policy.ts';
import { priorityQueue } from '../../queue/order.ts';
import { concurrencyLimit } from '../concurrency/concurrency.ts';
import { perKey } from '../per-key/per-key.ts';
import type { TokenBucketOptions } from './options.ts';
import { tokenBucket } from './token-bucket.ts';

const ill = to('https://ill.test/a');
const well = to('https://well.test/');

const slowDown = responds(200, { ratelimit: '"quota";r=0;t=60' });

/** A bucket of ten a second and five at once, and when each request is granted, or why it is refused. */
function setUp(more: Partial<TokenBucketOptions> = {}) {
  const quota = { refillPerSecond: 10, capacity: 5, feedback: serverFeedback, random: () => 0 };
  return asked((clock) => tokenBucket({ ...quota, clock, ...more }));
}

describe('resume', () => {
  test('ends a pause at once, with an empty bucket that fills from then on', async () => {
    const { bucket, clock, lines, ask } = setUp();
    bucket.pauseFor(60_000);
    ask('a');
    ask('b');
    await clock.advance(1_000);
    bucket.resume();
    expect(bucket.stats()).toMatchObject({ pausedMs: 0, tokens: 0 });
    await clock.advance(1_000);
    expect(lines).toEqual(['a 1100', 'b 1200']);
    expect(clock.pending).toBe(0);
  });

  test('ends the pauses of origins', async () => {
    const { bucket, clock, lines, ask } = setUp();
    bucket.observe?.(slowDown, taken(bucket.tryAcquire()), ill);
    ask('ill', { request: ill });
    await clock.advance(1_000);
    expect(bucket.stats()).toMatchObject({ pausedMs: 60_000 - 1_000, waiting: 1 });
    bucket.resume();
    expect(bucket.stats().pausedMs).toBe(0);
    await clock.advance(1_000);
    expect(lines).toEqual(['ill 1100']);
  });
});

describe('idle', () => {
  test('resolves at once for a bucket that has not been used', async () => {
    const { bucket } = setUp();
    let isIdle = false;
    void bucket.idle().then(() => {
      isIdle = true;
    });
    for (let hop = 0; hop < 20; hop += 1) await Promise.resolve();
    expect(isIdle).toBe(true);
  });

  test('waits for a request between the queue of its origin and that of the bucket', async () => {
    const { bucket, clock, lines, note } = setUp();
    bucket.observe?.(slowDown, taken(bucket.tryAcquire(5)), ill);
    const passes = async (): Promise<void> => {
      const earlier = await bucket.acquire({ request: ill });
      for (let hop = 0; hop < 50; hop += 1) await Promise.resolve();
      await bucket.acquire({ cost: 5, earlier });
      await bucket.acquire({ cost: 5, earlier });
    };
    note('passed', passes());
    note('idle', bucket.idle());
    await clock.advance(60_700);
    await clock.advance(0);
    expect(lines.toSorted()).toEqual(['idle 60700', 'passed 60700']);
  });

  test('ignores a queue that is empty for a moment only', async () => {
    const queue = priorityQueue({ overflow: 'drop-oldest' });
    const { bucket, clock, lines, note, ask } = setUp({ initialTokens: 0, maxQueue: 1, queue });
    ask('a');
    note('idle', bucket.idle());
    await clock.advance(50);
    ask('b');
    await clock.advance(1_000);
    expect(lines).toEqual(['a evicted 50', 'b 100', 'idle 100']);
  });
});

describe('close', () => {
  test('refuses waiting and new requests', async () => {
    const { bucket, clock, lines, note, ask } = setUp();
    const grant = taken(bucket.tryAcquire(4));
    ask('a', { cost: 5 });
    ask('b');
    note('closed', bucket.close());
    ask('c');
    await clock.advance(0);
    expect(lines.slice(0, 3).toSorted()).toEqual(['a closed 0', 'b closed 0', 'c closed 0']);
    expect(lines[3]).toBe('closed 0');
    expect(bucket.tryAcquire()).toBeUndefined();
    expect(bucket.stats()).toMatchObject({ waiting: 0, refused: 3, granted: 1 });
    expect(clock.pending).toBe(0);
    await expect(bucket.acquire()).rejects.toMatchObject({
      name: 'NotSentError',
      message: 'Not sent: the bucket was closed',
    });
    grant.settle(0);
    expect(bucket.stats().tokens).toBe(5);
  });

  test("with 'drain' grants waiting requests in turn, and refuses new ones", async () => {
    const { bucket, clock, lines, note, ask } = setUp({ initialTokens: 0 });
    ask('a', { cost: 2 });
    ask('b', { cost: 5, maxWaitMs: 1_000 });
    note('closed', bucket.close({ waiting: 'drain' }));
    ask('c');
    await clock.advance(300);
    ask('d');
    expect(bucket.tryAcquire()).toBeUndefined();
    await clock.advance(1_000);
    expect(lines).toEqual(['c closed 0', 'a 200', 'd closed 300', 'b 700', 'closed 700']);
    expect(clock.pending).toBe(0);
  });

  test("with 'reject' after 'drain' refuses the rest; 'drain' after 'reject' does nothing", async () => {
    const { bucket, clock, lines, note, ask } = setUp({ initialTokens: 0 });
    ask('a');
    ask('b');
    note('drained', bucket.close({ waiting: 'drain' }));
    await clock.advance(100);
    note('closed', bucket.close());
    note('again', bucket.close({ waiting: 'drain' }));
    await clock.advance(1_000);
    expect(lines.slice(0, 2)).toEqual(['a 100', 'b closed 100']);
    expect(lines.slice(2).toSorted()).toEqual(['again 100', 'closed 100', 'drained 100']);
  });

  test("with 'drain' keeps a request that has no slot when its tokens come", async () => {
    const { bucket, clock, lines, note } = setUp({ initialTokens: 0 });
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    const call = new Call(createPolicy({ clock, bucket, concurrency, random: () => 0 }), well);
    note('a', Promise.resolve(prepare(call)));
    await clock.advance(50);
    const slot = concurrency.tryAcquire();
    note('closed', bucket.close({ waiting: 'drain' }));
    await clock.advance(150);
    slot?.release();
    await clock.advance(0);
    expect(lines).toEqual(['closed 100', 'a 200']);
  });
});

test.each([
  ['a bucket', tokenBucket({ refillPerSecond: 10 })],
  ['buckets per key before the first exists', perKey(() => tokenBucket({ refillPerSecond: 10 }))],
])('a wrong option of close is an error of %s', async (_, own) => {
  const message = "close: waiting must be one of 'reject', 'drain', got \"later\"";
  await expect(own.close({ waiting: 'later' as never })).rejects.toThrow(message);
});
