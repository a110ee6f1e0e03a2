import { describe, expect, test } from 'vitest';
import { callTo, followed, lost, REQUEST } from '../../../test/call-with-limits.ts';
import { throwing } from '../../../test/throwing.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { Grant } from '../../policy/contracts.ts';
import { virtualClock } from '../../testing.ts';
import { type PolicyBucketOptions, policyBucket } from './policy-bucket.ts';

const POLICY = '"burst";q=5;w=10';

const answer = (headers: Record<string, string> = {}, status = 200, more = {}): Outcome => ({
  type: 'response',
  status,
  header: (name) => headers[name],
  ...more,
});
/** An answer with one quota of requests, and its policy. */
const said = (left: number, seconds: number, status = 200): Outcome =>
  answer({ 'ratelimit-policy': POLICY, ratelimit: `"burst";r=${left};t=${seconds}` }, status);

/** The bucket of one key, and its requests in flight. */
function setUp(options: PolicyBucketOptions = {}) {
  const clock = virtualClock({ startMs: 0 });
  const buckets = policyBucket({ clock, random: () => 0, ...options });
  const of = (name: string) => {
    const request = { ...REQUEST, url: `https://${name}.test/` };
    const bucket = buckets.for(request);
    const take = (cost = 1): Grant | undefined => bucket.tryAcquire(cost, undefined, request);
    return {
      bucket,
      take,
      hear: (outcome: Outcome, grant: Grant | undefined) =>
        bucket.observe?.(outcome, grant as Grant, request),
      /** Takes as many requests as there are. */
      takeAll(): Grant[] {
        const all: Grant[] = [];
        for (let one = take(); one !== undefined && all.length < 100; one = take()) all.push(one);
        return all;
      },
    };
  };
  return { clock, of, ...of('a') };
}

describe('a key whose quotas are not known', () => {
  test.each<[what: string, outcome: Outcome, isFree: boolean]>([
    ['an answer without fields', answer(), true],
    ['another failure of the request', answer({}, 404), true],
    ['a redirect', answer({}, 301), true],
    [
      'the fields of the target of a redirect',
      answer({ ratelimit: '"a";r=0;t=9' }, 200, { redirected: true }),
      true,
    ],
    ['a cached answer', answer({ ratelimit: '"a";r=0;t=9', age: '3' }), true],
    ['a malformed field', answer({ ratelimit: '"a";r=-1;t=9' }), true],
    ['a field of draft 07', answer({ ratelimit: 'limit=5, remaining=0, reset=9' }), true],
    ['a policy without a window', answer({ 'ratelimit-policy': '"burst";q=5' }), true],
    ['a refusal without fields', answer({}, 429), false],
    ['an error of the server without fields', answer({}, 503), false],
    ['no answer', lost, false],
  ])('%s leaves it free: %s', (_, outcome, isFree) => {
    const { take, hear, takeAll } = setUp();
    hear(outcome, take());
    expect(takeAll()).toHaveLength(isFree ? 100 : 1);
  });

  test('counts those in flight once it is told late', () => {
    const { take, hear, takeAll } = setUp();
    hear(answer(), take());
    const [one] = [take(), take(), take()];
    hear(said(4, 10), one);
    // Two are in flight.
    expect(takeAll()).toHaveLength(2);
  });
});

describe('a window', () => {
  /** A window of 5, of which one request has been answered. */
  function open(...options: Parameters<typeof setUp>) {
    const made = setUp(...options);
    made.hear(said(4, 10), made.take());
    return made;
  }

  test('is used up, in any order of the answers', () => {
    const { hear, takeAll } = open();
    const [a, b, c, d] = takeAll();
    hear(said(0, 10), d);
    hear(said(2, 10), b);
    hear(said(3, 9), a);
    hear(said(1, 9), c);
    expect(takeAll()).toHaveLength(0);
  });

  test.each<[how: string, outcome: Outcome, left: number, lastsMs: number]>([
    ['until its reset', said(4, 10), 4, 10_000],
    // With a rest requests do not go one at a time.
    ['for a second at least, with nothing left', said(0, 0, 429), 0, 1_000],
    ['for a second at least, with a rest', said(3, 0), 3, 1_000],
    ['for maxPauseMs at most', said(0, 999_999), 0, 20_000],
    [
      'without a reset as its policy says',
      answer({ 'ratelimit-policy': POLICY, ratelimit: '"burst";r=2' }),
      2,
      10_000,
    ],
    ['without that a second', answer({ ratelimit: '"burst";r=2' }), 2, 1_000],
  ])('lasts %s, and the next one begins with one request', (_, outcome, left, lastsMs) => {
    const { clock, hear, take, takeAll } = setUp({ maxPauseMs: 20_000 });
    hear(outcome, take());
    clock.tick(lastsMs - 1);
    expect(takeAll()).toHaveLength(left);
    clock.tick(1);
    expect(takeAll()).toHaveLength(1);
  });

  test('that a late answer tells of replaces the one before', () => {
    const { clock, hear, take, takeAll } = open();
    clock.tick(9_900);
    const late = take();
    clock.tick(100);
    const first = take();
    // The server has counted both after its reset.
    hear(said(3, 10), late);
    expect(takeAll()).toHaveLength(2);
    hear(said(4, 10), first);
    expect(takeAll()).toHaveLength(1);
  });

  test('that a late answer tells of needs no other one to ask, whatever becomes of the first', () => {
    const { clock, hear, take, takeAll } = open();
    clock.tick(9_900);
    const late = take();
    clock.tick(100);
    take();
    hear(said(3, 10), late);
    clock.tick(10_000);
    expect(takeAll()).toHaveLength(1);
  });

  test('ends with the earliest reset of its answers, which are rounded up', () => {
    const { clock, hear, take, takeAll } = open();
    clock.tick(900);
    hear(said(3, 10), take());
    clock.tick(9_099);
    expect(takeAll()).toHaveLength(3);
    clock.tick(1);
    expect(takeAll()).toHaveLength(1);
  });

  test('of a policy alone is counted from its first request', () => {
    const { clock, hear, take, takeAll } = setUp();
    const policy = answer({ 'ratelimit-policy': POLICY });
    hear(policy, take());
    hear(policy, take());
    expect(takeAll()).toHaveLength(3);
    clock.tick(10_000);
    expect(takeAll()).toHaveLength(1);
  });

  test('that the server does not name any more limits nothing', () => {
    const { clock, hear, take, takeAll } = open();
    clock.tick(10_000);
    hear(answer(), take());
    expect(takeAll()).toHaveLength(100);
  });
});

describe('units', () => {
  test('of others than requests count the cost', () => {
    const { hear, take } = setUp();
    const headers = { 'ratelimit-policy': '"b";q=900;w=10;qu="content-bytes"', ratelimit: '"b";r=500;t=10' };
    hear(answer(headers), take(100));
    const one = take(400);
    expect([one, take(101), take(100)].map(Boolean)).toEqual([true, false, true]);
    one?.settle(0);
    expect([take(401), take(400)].map(Boolean)).toEqual([false, true]);
  });
});

test.each([
  ['of the policy alone', {}],
  ['with what is left', { ratelimit: '"c";r=2' }],
])('a limit of concurrent requests, %s, needs no window, and leaves an unused key idle', (_, more) => {
  const { clock, hear, take, takeAll, bucket } = setUp();
  hear(answer({ 'ratelimit-policy': '"c";q=3;qu="concurrent-requests"', ...more }), take());
  clock.tick(60_000);
  const all = takeAll();
  expect(all).toHaveLength(3);
  expect(bucket.stats().idle).toBe(false);
  for (const one of all) one.settle(0);
  expect(bucket.stats().idle).toBe(true);
});

describe('partition keys', () => {
  const of = (key: string, left: number): Outcome =>
    answer({ ratelimit: `"user";r=${left};t=10;pk=:${key}:, "app";r=${left + 5};t=20` });

  test('have quotas of their own, and share those without a key', () => {
    const { of: key } = setUp({ keyOf: ({ url }) => url });
    const [a, b] = [key('a'), key('b')];
    a.hear(of('YQ==', 1), a.take());
    expect(a.takeAll()).toHaveLength(1);
    // Another origin has its own quota.
    b.hear(of('Yg==', 3), b.take());
    expect(b.takeAll()).toHaveLength(3);
  });

  test('of a policy tell its units apart', () => {
    const { hear, take, takeAll } = setUp();
    const policies = '"b";q=9;w=5;pk=:Yg==:;qu="content-bytes", "b";q=9;w=5;pk=:YQ==:';
    hear(answer({ 'ratelimit-policy': policies, ratelimit: '"b";r=5;t=5;pk=:YQ==:' }), take(9));
    expect([take(9), takeAll().length].map(Boolean)).toEqual([true, true]);
  });

  test('of one key are counted once, even if it changes its partition', () => {
    const { hear, take, takeAll } = setUp();
    const user = (key: string, left: number) => answer({ ratelimit: `"user";r=${left};t=10;pk=:${key}:` });
    hear(user('YQ==', 9), take());
    const [, one, two] = [take(), take(), take()];
    hear(user('Yg==', 9), one);
    hear(user('YQ==', 5), two);
    // A request is in flight.
    expect(takeAll()).toHaveLength(4);
  });
});

describe('the queue', () => {
  test('refuses at once what would wait too long, and nothing that an answer may let go', async () => {
    const { bucket, take, hear } = setUp({ maxWaitMs: 5_000 });
    const first = take();
    const waiting = bucket.acquire();
    hear(said(1, 10), first);
    const late = await waiting;
    // It may be counted in the one that is left, or not.
    const next = bucket.acquire();
    next.catch(() => undefined);
    expect(bucket.stats().waiting).toBe(1);
    hear(said(0, 10), late);
    await expect(bucket.acquire()).rejects.toMatchObject({ reason: 'wait-too-long', waitMs: 10_000 });
  });

  test('waits for a Retry-After, and then one request asks', async () => {
    const { clock, hear, take, takeAll, bucket } = setUp();
    hear(answer(), take());
    hear(answer({ 'retry-after': '3' }, 429), take());
    expect(bucket.stats()).toMatchObject({ pausedMs: 3_000, idle: false });
    clock.tick(2_999);
    expect(takeAll()).toHaveLength(0);
    clock.tick(1);
    const [first, ...others] = takeAll();
    expect(others).toEqual([]);
    hear(answer(), first);
    expect(takeAll()).toHaveLength(100);
    bucket.pauseFor(1_000);
    bucket.resume();
    expect(bucket.stats().pausedMs).toBe(0);
  });
});

test('a request that the total timeout ends no longer asks', async () => {
  const clock = virtualClock({ startMs: 0 });
  const bucket = policyBucket({ clock });
  const { call } = callTo({ bucket, clock, totalTimeoutMs: 100 });
  expect(call.next()).toEqual({ do: 'send' });
  const second = callTo({ bucket, clock }).call;
  const step = second.next();
  expect(step.do).toBe('wait');
  clock.tick(200);
  expect(call.ended({ type: 'failure', kind: 'timeout', error: new Error('late') }).do).toBe('end');
  expect(await followed(second, step)).toEqual({ do: 'send' });
  // The bucket hears of the end of a request that has waited, too.
  clock.tick(1);
  expect(second.close('final')).toBe(true);
  expect(bucket.for(REQUEST).stats().idle).toBe(true);
});

test('a request whose answer `feedback` cannot read no longer asks', async () => {
  const clock = virtualClock({ startMs: 0 });
  const bucket = policyBucket({ clock });
  const { call } = callTo({ bucket, clock, feedback: throwing(new Error('mine')) });
  call.next();
  const second = callTo({ bucket, clock }).call;
  const step = second.next();
  expect(step.do).toBe('wait');
  expect(call.ended(said(3, 10))).toMatchObject({ error: { hook: 'feedback' } });
  expect(await followed(second, step)).toEqual({ do: 'send' });
  expect(bucket.for(REQUEST).stats().tokens).toBe(2);
});

test('a server that names ever more policies does not take ever more memory', () => {
  const { take, hear, bucket } = setUp();
  for (let at = 0; at < 100; at += 1) hear(answer({ ratelimit: `"p${at}";r=9;t=600` }), take());
  expect(bucket.stats().tokens).toBe(9);
  // The oldest are forgotten: of 32 policies the one with the least counts.
  hear(answer({ ratelimit: '"first";r=3;t=600' }), take());
  expect(bucket.stats().tokens).toBe(3);
  for (let at = 0; at < 32; at += 1) hear(answer({ ratelimit: `"q${at}";r=9;t=600` }), take() ?? undefined);
});

test('a wrong option is named', () => {
  expect(() => policyBucket({ keyOf: 'origin' as never })).toThrow('policyBucket: keyOf');
  expect(() => policyBucket({ maxQueue: -1 })).toThrow('policyBucket: maxQueue');
  const scoped = { feedbackScope: 'origin' } as object;
  expect(() => policyBucket(scoped)).toThrow('policyBucket has no option "feedbackScope"');
});
