import { describe, expect, test } from 'vitest';
import { journal, responds, taken, to } from '../../../test/asks.ts';
import { judge, prepare } from '../../../test/steps.ts';
import { Call } from '../../call/call.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import { serverFeedback } from '../../http/server-feedback.ts';
import type { AcquireOptions, BucketMethods } from '../../policy/contracts.ts';
import { createPolicy } from '../../policy/policy.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import type { ObservableBucket } from '../limit.ts';
import { adaptive } from './adaptive.ts';
import { tokenBucket } from './token-bucket.ts';

const ill = to('https://ill.test/a');
const well = to('https://well.test/');

const usedUp = responds(200, { 'ratelimit-remaining': '0', 'ratelimit-reset': '600' });

function setUp(make: (clock: VirtualClock) => ObservableBucket = (clock) => tokenBucket(options(clock))) {
  const clock = virtualClock({ startMs: 0 });
  const bucket = make(clock);
  const policy = createPolicy({ clock, bucket, random: () => 0, maxRetries: 0 });
  const sentAtMs: [string, number][] = [];
  /** Sends a request, and passes its response to the bucket. */
  const send = async (request: RequestTraits, answer = responds(200)): Promise<void> => {
    const session = new Call(policy, request);
    await prepare(session);
    sentAtMs.push([request.url, clock.now()]);
    judge(session, answer);
  };
  const { lines, note } = journal(clock);
  const ask = (name: string, request: RequestTraits, asked: AcquireOptions = {}): void =>
    note(name, bucket.acquire({ ...asked, request }));
  return { clock, bucket, sentAtMs, send, lines, ask };
}

/** Whether an origin has so many tokens now, which go back. */
function has(bucket: BucketMethods, request: RequestTraits, cost = 0.001): boolean {
  const grant = bucket.tryAcquire(cost, undefined, request);
  grant?.settle(0);
  return grant !== undefined;
}

const options = (clock: VirtualClock) => {
  return { refillPerSecond: 10, capacity: 5, clock, random: () => 0, feedback: serverFeedback };
};

test('feedback pauses its own origin; others go on with the shared tokens', async () => {
  const { clock, bucket, sentAtMs, send } = setUp();
  await send(ill, usedUp);
  void send(ill);
  void send(well);
  await clock.advance(0);
  expect(sentAtMs).toEqual([
    [ill.url, 0],
    [well.url, 0],
  ]);
  expect(bucket.stats()).toMatchObject({ tokens: 3, waiting: 1, pausedMs: 600_000, idle: false });
  await clock.advance(600_100);
  expect(sentAtMs.at(-1)).toEqual([ill.url, 600_100]);
});

test('an origin opens empty, and shares the tokens of the others when it is full', async () => {
  const { clock, bucket, sentAtMs, send } = setUp();
  await send(ill, responds(429, { 'retry-after': '2' }));
  for (let sent = 0; sent < 3; sent += 1) void send(ill);
  await clock.advance(2_300);
  expect(sentAtMs.slice(1).map(([, atMs]) => Math.round(atMs))).toEqual([2_100, 2_200, 2_300]);
  expect([has(bucket, ill), has(bucket, well, 3)]).toEqual([false, true]);
  expect(bucket.stats().idle).toBe(false);
  await clock.advance(1_000);
  expect(bucket.stats().idle).toBe(true);
  expect(has(bucket, ill, 5)).toBe(true);
});

describe('a request whose pause is over, and which waits for tokens of all', () => {
  test.each<[string, (bucket: ObservableBucket) => void]>([
    ['by `acquire`', (bucket) => void bucket.acquire({ request: well })],
    ['by `tryAcquire`', (bucket) => void bucket.tryAcquire(1, undefined, well)],
  ])('is not overtaken by cheaper ones of other origins: %s', async (_, ask) => {
    const { clock, bucket, send } = setUp();
    await send(ill, responds(429, { 'retry-after': '1' }));
    bucket.tryAcquire(4, undefined, well);
    let grantedAtMs = 0;
    void bucket.acquire({ cost: 5, request: ill }).then((grant) => {
      ({ grantedAtMs } = grant);
    });
    for (let asks = 0; asks < 50; asks += 1) {
      await clock.advance(100);
      ask(bucket);
    }
    // Its own tokens are there at 1,600, and those of all have come in since.
    expect(grantedAtMs).toBeLessThanOrEqual(2_100);
    expect(grantedAtMs).toBeGreaterThan(1_600);
  });
});

test('a retry whose pause is over goes before the queue, also if an older request of another origin does not', async () => {
  const { clock, bucket, lines, ask } = setUp();
  const grant = taken(bucket.tryAcquire(5));
  ask('queue', well, { cost: 5 });
  for (const [name, retry] of Object.entries({ new: false, retry: true })) {
    await clock.advance(10);
    const request = to(`https://${name}.test/`);
    bucket.observe?.(responds(429, { 'retry-after-ms': '50' }), grant, request);
    ask(name, request, { retry });
  }
  await clock.advance(1_000);
  expect(lines).toEqual(['retry 170', 'queue 600', 'new 700']);
});

test('feedback of a redirect target pauses the target, not the requested origin', async () => {
  const { bucket, send } = setUp();
  await send(well, responds(429, { 'retry-after': '2' }, 'https://ill.test/receipt'));
  expect([has(bucket, well), has(bucket, ill)]).toEqual([true, false]);
});

test("feedbackScope: 'bucket' pauses all origins", async () => {
  const { clock, bucket, sentAtMs, send } = setUp((clock) =>
    tokenBucket({ ...options(clock), feedbackScope: 'bucket' }),
  );
  await send(ill, responds(429, { 'retry-after': '2' }));
  void send(well);
  await clock.advance(1_000);
  expect(sentAtMs).toHaveLength(1);
  expect(bucket.stats()).toMatchObject({ tokens: 0, pausedMs: 1_000 });
  await clock.advance(1_100);
  expect(sentAtMs.at(-1)).toEqual([well.url, 2_100]);
});

test.each<[string, (clock: VirtualClock) => ObservableBucket, readonly number[]]>([
  ['in its steps', (clock) => tokenBucket({ ...options(clock), refillIntervalMs: 400 }), [0, 4]],
  ['at the highest rate of an adaptive one', (clock) => adaptive(options(clock)), [2, 4]],
])('an origin that has paused refills as its bucket does: %s', async (_, make, tokens) => {
  const { clock, bucket, send } = setUp(make);
  await send(ill, responds(429, { 'retry-after': '100' }));
  // The tokens that all share are back by then.
  await clock.advance(100_000);
  const found: number[] = [];
  for (const _step of tokens) {
    await clock.advance(200);
    found.push([1, 2, 3, 4, 5].filter((cost) => has(bucket, ill, cost)).length);
  }
  expect(found).toEqual(tokens);
});
