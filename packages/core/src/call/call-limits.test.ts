import { describe, expect, test } from 'vitest';
import { responds, to } from '../../test/asks.ts';
import { judge, prepare } from '../../test/steps.ts';
import { constant } from '../backoff/curves.ts';
import type { EbbEvent } from '../events/events.ts';
import type { Outcome } from '../http/outcome.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import { concurrencyLimit } from '../limits/concurrency/concurrency.ts';
import { perKey } from '../limits/per-key/per-key.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { createPolicy } from '../policy/policy.ts';
import { priorityQueue } from '../queue/order.ts';
import { virtualClock } from '../testing.ts';
import type { Call } from './call.ts';
import { attemptsOf, grantOf, setHistory } from './history.ts';
import { startCall } from './transport.ts';

const clock = virtualClock({ startMs: 0 });

const failure: Outcome = { type: 'failure', kind: 'network', error: new Error('reset') };
const finalFailure: Outcome = { type: 'failure', kind: 'unknown', error: new TypeError() };

/** A policy on the virtual clock, and a function that starts requests. */
function setUp(options: PolicyOptions) {
  const events: EbbEvent[] = [];
  const policy = createPolicy({
    clock,
    random: () => 0,
    backoff: constant(0),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const start = (ebb?: PolicyOptions, url = 'https://a.test/'): Call => {
    const call = startCall(policy, to(url), ebb);
    if (call === undefined) throw new Error('There is a call unless ebb is false');
    return call;
  };
  return { events, policy, start };
}

/** How long a call waits until it may send, or why it may not. */
function waits(call: Call, signal?: AbortSignal, released?: Promise<void>): Promise<unknown> {
  const startMs = clock.now();
  const ready = prepare(call, signal, released);
  if (ready === undefined) return Promise.resolve('at once');
  return ready.then(
    () => clock.now() - startMs,
    (error) => error.reason ?? error,
  );
}

const small = { refillPerSecond: 10, capacity: 5, clock, random: () => 0 };

describe('a bucket', () => {
  test('that has the tokens takes no turn of the event loop', () => {
    const bucket = tokenBucket(small);
    const { start } = setUp({ bucket });
    expect(prepare(start())).toBeUndefined();
    expect(prepare(start({ cost: 3.5 }))).toBeUndefined();
    expect(bucket.stats()).toMatchObject({ tokens: 0.5, granted: 2 });
  });

  test('is acquired for every attempt, and a retry goes before new requests', async () => {
    const bucket = tokenBucket({ ...small, capacity: 1 });
    const { start } = setUp({ bucket });
    const failed = start();
    expect(await waits(failed)).toBe('at once');
    const others = [waits(start()), waits(start())];
    judge(failed, failure);
    const retry = waits(failed);
    await clock.advance(1_000);
    expect(await retry).toBe(100);
    expect(await Promise.all(others)).toEqual([200, 300]);
  });

  test('gets the priority and the cost of the request', async () => {
    const bucket = tokenBucket({ ...small, initialTokens: 0, queue: priorityQueue() });
    const { start } = setUp({ bucket, cost: 2 });
    const low = waits(start({ priority: -1 }));
    const usual = waits(start());
    const high = waits(start({ priority: 1, cost: 3 }));
    expect(await waits(start({ maxWaitMs: 699 }))).toBe('wait-too-long');
    await clock.advance(1_000);
    expect(await Promise.all([high, usual, low])).toEqual([300, 500, 700]);
  });

  test("with nonConforming: 'mark' reports requests without tokens", () => {
    const { start, events } = setUp({
      bucket: tokenBucket({ ...small, capacity: 1, nonConforming: 'mark' }),
    });
    expect(prepare(start())).toBeUndefined();
    expect(prepare(start())).toBeUndefined();
    expect(events.map(({ type, attempt }) => `${type} ${attempt}`)).toEqual([
      'attempt 1',
      'mark 1',
      'attempt 1',
    ]);
  });

  test('observes each outcome, and pauses for its whole queue', async () => {
    const bucket = tokenBucket(small);
    const { start } = setUp({ bucket });
    const call = start();
    await waits(call);
    judge(call, responds(429, { 'retry-after': '2' }));
    const retry = waits(call);
    const other = waits(start());
    await clock.advance(5_000);
    // The retry has waited for as long, and goes first.
    expect(await retry).toBe(2_100);
    expect(await other).toBe(2_200);
  });

  test('is settled with the cost of the response, which has its history', async () => {
    const bucket = tokenBucket({ ...small, capacity: 1_000 });
    const { start } = setUp({ bucket, cost: 600 });
    const call = start();
    await waits(call);
    const answer = {};
    judge(call, responds(200));
    setHistory(answer, call.historyRecord);
    expect(attemptsOf(answer)).toMatchObject([{ status: 200, reason: 'success' }]);
    grantOf(answer)?.settle(150);
    expect(bucket.stats().tokens).toBe(850);
    expect(grantOf({})).toBeUndefined();
    expect(grantOf(undefined)).toBeUndefined();
  });
});

describe('a bucket per key', () => {
  test('uses the key of the request options', async () => {
    const { start } = setUp({ bucket: perKey(() => tokenBucket({ ...small, capacity: 1 }), { clock }) });
    expect(await waits(start({ key: 'account 1' }, 'https://a.test/'))).toBe('at once');
    expect(await waits(start({ key: 'account 2' }, 'https://a.test/'))).toBe('at once');
    const third = waits(start({ key: 'account 1' }, 'https://b.test/'));
    await clock.advance(1_000);
    expect(await third).toBe(100);
  });
});

describe('a slot', () => {
  const limits = () => concurrencyLimit({ maxConcurrent: 1, clock });

  test('of an attempt that is retried is released with its connection, and not held during backoff', async () => {
    const concurrency = limits();
    const { start } = setUp({ concurrency, backoff: constant(1_000) });
    const call = start();
    await waits(call);
    judge(call, responds(503));
    const other = waits(start());
    const released = new Promise<void>((resolve) => void clock.schedule(resolve, 200));
    const retry = waits(call, undefined, released);
    await clock.advance(100);
    expect(concurrency.stats()).toMatchObject({ inUse: 1, waiting: 1 });
    await clock.advance(300);
    expect(await other).toBe(200);
    await clock.advance(2_000);
    // The other request still holds it.
    expect(concurrency.stats()).toMatchObject({ inUse: 1, waiting: 1 });
    void retry;
  });

  test('is taken before the tokens', async () => {
    const concurrency = limits();
    const bucket = tokenBucket(small);
    const { start, events } = setUp({ concurrency, bucket });
    const first = start();
    await waits(first);
    const second = start();
    const waiting = waits(second);
    await clock.advance(250);
    // While it waits for a slot, others may take its tokens.
    expect(bucket.stats()).toMatchObject({ tokens: 5, granted: 1 });
    bucket.tryAcquire(5);
    judge(first, finalFailure);
    await clock.advance(1_000);
    expect(await waiting).toBe(350);
    expect(events.find(({ type }) => type === 'wait')).toMatchObject({ waitedMs: 350 });
    expect(bucket.stats().granted).toBe(3);
  });
});
