import { describe, expect, test } from 'vitest';
import { asked, responds, taken, to } from '../../../test/asks.ts';
import { judge, prepare } from '../../../test/steps.ts';
import { constant } from '../../backoff/curves.ts';
import { Call } from '../../call/call.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import { serverFeedback } from '../../http/server-feedback.ts';
import type { PolicyOptions } from '../../policy/options.ts';
import { createPolicy } from '../../policy/policy.ts';
import { priorityQueue } from '../../queue/order.ts';
import { concurrencyLimit } from '../concurrency/concurrency.ts';
import type { ObservableBucket } from '../limit.ts';
import { perKey } from '../per-key/per-key.ts';
import type { TokenBucketOptions } from './options.ts';
import { tokenBucket } from './token-bucket.ts';

const ill = to('https://ill.test/a');
const well = to('https://well.test/');

const slowDown = responds(200, { ratelimit: '"quota";r=0;t=60' });

/** A bucket of ten a second and five at once, and when each request is granted, or why it is refused. */
function setUp(more: Partial<TokenBucketOptions> = {}) {
  const quota = { refillPerSecond: 10, capacity: 5, feedback: serverFeedback, random: () => 0 };
  const set = asked((clock) => tokenBucket({ ...quota, clock, ...more }));
  const { clock, bucket, note } = set;
  const policy = (options: PolicyOptions = {}) =>
    createPolicy({ clock, bucket, random: () => 0, maxRetries: 0, ...options });
  /** Sends a request when it may be sent. */
  const send = (name: string, request: RequestTraits, options?: PolicyOptions): void => {
    const session = new Call(policy(options), request);
    note(
      name,
      Promise.resolve(prepare(session)).then(() => judge(session, responds(200))),
    );
  };
  return { ...set, policy, send };
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

  test('does nothing to a bucket that is not paused', () => {
    const { bucket, clock } = setUp();
    bucket.pauseFor(100);
    clock.tick(300);
    bucket.resume();
    expect(bucket.stats().tokens).toBeCloseTo(2, 9);
  });

  test('keeps a debt', () => {
    const { bucket, clock } = setUp();
    taken(bucket.tryAcquire(5)).settle(8);
    bucket.pauseFor(1_000);
    clock.tick(500);
    bucket.resume();
    expect(bucket.stats().tokens).toBeCloseTo(-3, 9);
  });

  test('allows the next pause to be shorter', () => {
    const { bucket } = setUp();
    bucket.pauseFor(60_000);
    bucket.resume();
    bucket.pauseFor(1_000);
    expect(bucket.stats().pausedMs).toBe(1_000);
  });

  test('restarts the refill steps', async () => {
    const { bucket, clock, lines, ask } = setUp({ refillIntervalMs: 200 });
    bucket.tryAcquire(5);
    await clock.advance(700);
    bucket.pauseFor(60_000);
    ask('a', { cost: 2 });
    await clock.advance(350);
    bucket.resume();
    await clock.advance(1_000);
    expect(lines).toEqual(['a 1250']);
  });

  test('ends the pauses of origins', async () => {
    const { bucket, clock, lines, send } = setUp();
    bucket.observe?.(slowDown, taken(bucket.tryAcquire()), ill);
    send('ill', ill);
    await clock.advance(1_000);
    expect(bucket.stats()).toMatchObject({ pausedMs: 60_000 - 1_000, waiting: 1 });
    bucket.resume();
    expect(bucket.stats().pausedMs).toBe(0);
    await clock.advance(1_000);
    expect(lines).toEqual(['ill 1100']);
  });
});

describe('idle', () => {
  test.each<[story: string, use: (bucket: ObservableBucket) => unknown]>([
    ['has not been used', () => undefined],
    ['has had requests', (bucket) => bucket.acquire({ priority: 0 })],
  ])('resolves at once for a bucket that %s', async (_, use) => {
    const { bucket } = setUp();
    await use(bucket);
    let isIdle = false;
    void bucket.idle().then(() => {
      isIdle = true;
    });
    for (let hop = 0; hop < 20; hop += 1) await Promise.resolve();
    expect(isIdle).toBe(true);
  });

  test('resolves after the last was granted, gave up or was evicted, and adds no timer', async () => {
    const queue = priorityQueue({ overflow: 'drop-oldest' });
    const { bucket, clock, lines, note, ask } = setUp({ initialTokens: 0, maxQueue: 2, queue });
    const stop = new AbortController();
    ask('a', { maxWaitMs: 500 });
    const { pending } = clock;
    note('idle', bucket.idle());
    expect(clock.pending).toBe(pending);
    ask('b', { cost: 2, signal: stop.signal });
    ask('c', { cost: 5 });
    await clock.advance(150);
    stop.abort('enough');
    await clock.advance(1_000);
    expect(lines).toEqual(['a evicted 0', 'b enough 150', 'c 500', 'idle 500']);
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

  test('waits for requests to a paused origin until they are granted', async () => {
    const { bucket, clock, lines, note, send } = setUp();
    bucket.observe?.(slowDown, taken(bucket.tryAcquire(5)), ill);
    send('ill', ill);
    note('idle', bucket.idle());
    await clock.advance(60_050);
    // When the origin opens there is no token, and the queue is empty.
    taken(bucket.tryAcquire(5)).settle(8);
    await clock.advance(400);
    await clock.advance(0);
    expect(lines.toSorted()).toEqual(['idle 60450', 'ill 60450']);
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

  test("grants nothing, also with nonConforming: 'mark'", async () => {
    const { bucket } = setUp({ nonConforming: 'mark', initialTokens: 0 });
    expect(bucket.tryAcquire()).toBeDefined();
    await bucket.close();
    expect(bucket.tryAcquire()).toBeUndefined();
    await expect(bucket.acquire()).rejects.toMatchObject({ reason: 'closed' });
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

  test('refuses requests to a paused origin', async () => {
    const { bucket, clock, lines, note, send } = setUp();
    bucket.observe?.(slowDown, taken(bucket.tryAcquire()), ill);
    send('ill', ill);
    await clock.advance(0);
    note('closed', bucket.close());
    send('next', ill);
    send('well', well);
    await clock.advance(0);
    expect(lines.toSorted()).toEqual(['closed 0', 'ill closed 0', 'next closed 0', 'well closed 0']);
    expect(clock.pending).toBe(0);
  });

  test("with 'drain' grants waiting requests to a paused origin when it opens, and refuses new ones", async () => {
    const { bucket, clock, lines, note, send } = setUp();
    bucket.observe?.(slowDown, taken(bucket.tryAcquire(5)), ill);
    send('ill', ill);
    send('ill too', ill);
    await clock.advance(0);
    note('closed', bucket.close({ waiting: 'drain' }));
    send('next', ill);
    await clock.advance(60_200);
    await clock.advance(0);
    expect(lines).toEqual(['next closed 0', 'ill 60100', 'ill too 60200', 'closed 60200']);
  });

  test("with 'drain' respects a pause that an origin asks for meanwhile", async () => {
    const { bucket, clock, lines, note, send } = setUp({ initialTokens: 1 });
    const grant = taken(bucket.tryAcquire());
    send('ill', ill);
    await clock.advance(0);
    note('closed', bucket.close({ waiting: 'drain' }));
    bucket.observe?.(slowDown, grant, ill);
    send('next', ill);
    await clock.advance(60_100);
    await clock.advance(0);
    expect(lines[0]).toBe('next closed 0');
    expect(lines.slice(1).toSorted()).toEqual(['closed 60100', 'ill 60100']);
  });

  test("with 'drain' keeps a request that has no slot when its tokens come", async () => {
    const { bucket, clock, lines, note, send } = setUp({ initialTokens: 0 });
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    send('a', well, { concurrency });
    await clock.advance(50);
    const slot = concurrency.tryAcquire();
    note('closed', bucket.close({ waiting: 'drain' }));
    await clock.advance(150);
    slot?.release();
    await clock.advance(0);
    expect(lines).toEqual(['closed 100', 'a 200']);
  });

  test("refuses a request that returned its tokens, except with 'drain'", async () => {
    const { bucket } = setUp();
    const earlier = taken(bucket.tryAcquire());
    void bucket.close({ waiting: 'drain' });
    expect(bucket.tryAcquire(1, earlier)).toBeDefined();
    expect(await bucket.acquire({ earlier })).toMatchObject({ cost: 1 });
    void bucket.close();
    void bucket.close({ waiting: 'drain' });
    expect(bucket.tryAcquire(1, earlier)).toBeUndefined();
    await expect(bucket.acquire({ earlier })).rejects.toMatchObject({ reason: 'closed' });
  });
});

test('a retry counts as a new request, also if its first attempt waited when the bucket was closed', async () => {
  const { bucket, clock, policy } = setUp({ initialTokens: 0 });
  const session = new Call(policy({ maxRetries: 3, backoff: constant(0) }), well);
  const first = prepare(session);
  await clock.advance(0);
  const drained = bucket.close({ waiting: 'drain' });
  await clock.advance(100);
  expect(await first).toBe(true);
  judge(session, responds(503));
  expect(await prepare(session)).toBe(false);
  await drained;
});

test.each([
  ['a bucket', tokenBucket({ refillPerSecond: 10 })],
  ['buckets per key before the first exists', perKey(() => tokenBucket({ refillPerSecond: 10 }))],
])('a wrong option of close is an error of %s', async (_, own) => {
  const message = "close: waiting must be one of 'reject', 'drain', got \"later\"";
  await expect(own.close({ waiting: 'later' as never })).rejects.toThrow(message);
});
