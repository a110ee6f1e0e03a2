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

test('a longer pause refuses at once whom it keeps waiting for too long', async () => {
  const { clock, bucket, send, lines, ask } = setUp();
  const grant = taken(bucket.tryAcquire(1, undefined, ill));
  await send(ill, responds(429, { 'retry-after': '1' }));
  ask('patient', ill, { maxWaitMs: 9_000 });
  ask('hasty', ill, { maxWaitMs: 3_000 });
  await clock.advance(500);
  bucket.observe?.(responds(429, { 'retry-after': '5' }), grant, ill);
  await clock.advance(0);
  expect(lines).toEqual(['hasty wait-too-long 500']);
  await clock.advance(6_000);
  expect(lines.at(-1)).toBe('patient 5600');
});

test('a request of the queue does not go before an older one of its origin that waits apart', async () => {
  const { clock, bucket, lines, ask } = setUp();
  const grant = taken(bucket.tryAcquire(5));
  ask('older', ill, { cost: 3 });
  await clock.advance(1);
  ask('other', well, { cost: 5 });
  ask('newer', ill);
  // Its end is at 320. The origin has 3 tokens at 620, and 1 when the newer one has its turn.
  bucket.observe?.(responds(429, { 'retry-after-ms': '319' }), grant, ill);
  await clock.advance(2_000);
  expect(lines).toEqual(['other 500', 'older 800', 'newer 900']);
});

test('feedback of a redirect target pauses the target, not the requested origin', async () => {
  const { bucket, send } = setUp();
  await send(well, responds(429, { 'retry-after': '2' }, 'https://ill.test/receipt'));
  expect([has(bucket, well), has(bucket, ill)]).toEqual([true, false]);
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
