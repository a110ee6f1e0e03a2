import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import { responds, to } from '../../test/asks.ts';
import { judge, prepare } from '../../test/steps.ts';
import { constant } from '../backoff/curves.ts';
import { nextTurn } from '../base/clock.ts';
import type { EbbEvent } from '../events/events.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { TokenBucketOptions } from '../limits/bucket/options.ts';
import { tokenBucket } from '../limits/bucket/token-bucket.ts';
import { concurrencyLimit } from '../limits/concurrency/concurrency.ts';
import { perKey } from '../limits/per-key/per-key.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { createPolicy } from '../policy/policy.ts';
import { type VirtualClock, virtualClock } from '../testing.ts';
import { Call } from './call.ts';

const ill = to('https://ill.test/');
const well = to('https://well.test/');
const FINAL: Outcome = { type: 'failure', kind: 'unknown', error: new Error() };

/** Calls of a policy with these limits, which note when they were sent. */
function setUp(clock: VirtualClock, options: PolicyOptions) {
  const sentAtMs = new Map<number, number>();
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => void events.push(event);
  const policy = createPolicy({ clock, random: () => 0, backoff: constant(0), onEvent, ...options });
  const start = (id: number, request: RequestTraits, signal?: AbortSignal): Call => {
    const call = new Call(policy, request);
    const sent = (): void => void sentAtMs.set(id, clock.now());
    const waiting = prepare(call, signal);
    if (waiting === undefined) sent();
    else waiting.then(sent, () => undefined);
    return call;
  };
  return { events, sentAtMs, start };
}

describe('slots and tokens', () => {
  /** A policy with so many slots and one token; ten tokens come in a second. */
  function limited(maxConcurrent: number, more: Partial<TokenBucketOptions> = {}) {
    const clock = virtualClock({ startMs: 0 });
    const concurrency = concurrencyLimit({ maxConcurrent, clock });
    const bucket = tokenBucket({ refillPerSecond: 10, capacity: 1, clock, ...more });
    return { clock, concurrency, bucket, ...setUp(clock, { concurrency, bucket }) };
  }

  test('three requests to a paused origin take no slot from a healthy one', async () => {
    const clock = virtualClock({ startMs: 0 });
    const concurrency = concurrencyLimit({ maxConcurrent: 3, clock });
    const make = () => tokenBucket({ refillPerSecond: 10, capacity: 10, clock, random: () => 0 });
    const { sentAtMs, start } = setUp(clock, { concurrency, bucket: perKey(make, { clock }) });
    const first = start(0, ill);
    judge(first, responds(429, { 'retry-after': '60' }));
    first.released();
    for (const id of [1, 2, 3]) start(id, ill);
    judge(start(4, well), FINAL);
    await clock.advance(0);
    expect([...sentAtMs]).toEqual([
      [0, 0],
      [4, 0],
    ]);
    await clock.advance(60_300);
    expect([1, 2, 3].map((id) => sentAtMs.get(id))).toEqual([60_100, 60_200, 60_300]);
  });

  test('a request that has waited for its tokens and finds no slot passes them on', async () => {
    const { clock, sentAtMs, start, bucket, concurrency } = limited(1);
    judge(start(0, well), FINAL);
    start(1, well);
    // Another client of the same limit is faster.
    const slot = concurrency.tryAcquire();
    expect(slot).toBeDefined();
    await clock.advance(150);
    expect(sentAtMs.has(1)).toBe(false);
    expect(bucket.tryAcquire()).toBeDefined();
    slot?.release();
    await clock.advance(100);
    expect(sentAtMs.get(1)).toBe(250);
  });

  test('the waits for both are limited together', async () => {
    const clock = virtualClock({ startMs: 0 });
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1, clock });
    const { events, start } = setUp(clock, { concurrency, bucket, maxWaitMs: 900 });
    const first = start(0, well);
    start(1, well);
    await clock.advance(400);
    judge(first, FINAL);
    await clock.advance(0);
    // Its slot is free after 400 ms, its token available after 1,000.
    const error = { reason: 'wait-too-long' };
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'limited', error });
  });

  test('an abort in the turn of the grant sends nothing, and gives everything back', async () => {
    const { clock, sentAtMs, start, bucket, concurrency } = limited(1);
    judge(start(0, well), FINAL);
    const controller = new AbortController();
    start(1, well, controller.signal);
    // By then it is in the queue.
    await nextTurn();
    clock.tick(100);
    expect(bucket.stats()).toMatchObject({ granted: 2, waiting: 0 });
    controller.abort();
    await nextTurn();
    expect(sentAtMs.has(1)).toBe(false);
    expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
    expect(bucket.tryAcquire()).toBeDefined();
  });
});

/** Requests to two origins, one of which asks for pauses. Some are aborted. */
const requests = fc.array(
  fc.record({
    atMs: fc.integer({ min: 0, max: 3_000 }),
    takesMs: fc.integer({ min: 0, max: 400 }),
    isIll: fc.boolean(),
    pausesMs: fc.constantFrom(0, 0, 0, 700),
    abortsAfterMs: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined, freq: 4 }),
  }),
  { minLength: 1, maxLength: 40 },
);

test('with any requests: the limit and the bucket are kept to, and every request ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      requests,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom<'origin' | 'bucket'>('origin', 'bucket'),
      async (asked, maxConcurrent, capacity, feedbackScope) => {
        const clock = virtualClock({ startMs: 0 });
        const concurrency = concurrencyLimit({ maxConcurrent, clock });
        const rate = 20;
        const bucket = tokenBucket({
          refillPerSecond: rate,
          capacity,
          clock,
          feedbackScope,
          random: () => 0,
        });
        const policy = createPolicy({ clock, concurrency, bucket, maxRetries: 0 });
        const sentAtMs: number[] = [];
        let underWay = 0;
        let mostUnderWay = 0;
        let ended = 0;
        for (const { atMs, takesMs, isIll, pausesMs, abortsAfterMs } of asked) {
          clock.schedule(() => {
            const call = new Call(policy, isIll ? ill : well);
            const controller = new AbortController();
            const send = (): void => {
              sentAtMs.push(clock.now());
              underWay += 1;
              mostUnderWay = Math.max(mostUnderWay, underWay);
              clock.schedule(() => {
                underWay -= 1;
                ended += 1;
                const headers = { 'retry-after-ms': String(pausesMs) };
                judge(call, pausesMs > 0 && isIll ? responds(429, headers) : responds(200));
                call.released();
              }, takesMs);
            };
            const waiting = prepare(call, controller.signal);
            if (waiting === undefined) send();
            else
              waiting.then(send, () => {
                ended += 1;
              });
            if (abortsAfterMs !== undefined) clock.schedule(() => controller.abort(), abortsAfterMs);
          }, atMs);
        }
        await clock.advance(120_000);
        expect(ended).toBe(asked.length);
        expect(mostUnderWay).toBeLessThanOrEqual(maxConcurrent);
        expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
        expect(bucket.stats()).toMatchObject({ tokens: capacity, waiting: 0, idle: true });
        expect(clock.pending).toBe(0);
        sentAtMs.forEach((fromMs, from) => {
          for (let to = from; to < sentAtMs.length; to += 1) {
            const windowMs = (sentAtMs[to] as number) - fromMs;
            expect(to - from + 1).toBeLessThanOrEqual(capacity + (rate * windowMs) / 1_000 + 1e-6);
          }
        });
      },
    ),
    { numRuns: runs(300) },
  );
});
