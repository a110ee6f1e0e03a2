import diagnostics from 'node:diagnostics_channel';
import {
  attemptsOf,
  concurrencyLimit,
  constant,
  createPolicy,
  grantOf,
  type OwnBucket,
  ownBucket,
  type Part,
  type PolicyOptions,
  retryBudget,
  throttle,
  tokenBucket,
} from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { expect, test, vi } from 'vitest';
import { createFetch } from './index.ts';

const REFUSED = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const URL_OF = 'https://api.example.com/items';

/** A fetch over policies without events, whose requests are sent as soon as their parts have granted what they ask for. */
function setUp(make: (clock: VirtualClock) => PolicyOptions, ...statuses: number[]) {
  const clock = virtualClock({ startMs: 1e6 });
  let sent = 0;
  const base = async (): Promise<Response> => {
    const status = statuses[sent] ?? 200;
    sent += 1;
    if (status === 0) throw new TypeError('fetch failed', { cause: REFUSED });
    return new Response('hello', { status });
  };
  const policy = createPolicy({ clock, backoff: constant(0), ...make(clock) });
  return { clock, policy, base, fetch: createFetch(policy, base), sent: () => sent };
}

test('a success takes its tokens, and has its history and its grant', async () => {
  const bucket = (clock: VirtualClock) => tokenBucket({ capacity: 10, refillPerSecond: 1, clock });
  const { fetch, policy } = setUp((clock) => ({ bucket: bucket(clock), cost: 4 }));
  const response = await fetch(URL_OF);
  expect(attemptsOf(response)).toMatchObject([{ attempt: 1, status: 200, waitedMs: 0, reason: 'success' }]);
  expect(grantOf(response)).toMatchObject({ cost: 4, conforming: true });
  grantOf(response)?.settle(1);
  expect(policy.bucket).toMatchObject({ stats: expect.any(Function) });
  expect((policy.bucket as ReturnType<typeof bucket>).stats()).toMatchObject({ tokens: 9, granted: 1 });
});

test('without tokens it waits for them', async () => {
  const { fetch, clock, sent } = setUp((time) => ({
    bucket: tokenBucket({ capacity: 1, refillPerSecond: 1, clock: time }),
  }));
  await fetch(URL_OF);
  const second = fetch(URL_OF);
  await clock.advance(999);
  expect(sent()).toBe(1);
  await clock.advance(1);
  expect(attemptsOf(await second)).toMatchObject([{ waitedMs: 1_000, reason: 'success' }]);
});

test('a bucket that refuses rejects before anything is sent, and each part is called at the end', async () => {
  const inFlight: string[] = [];
  const { fetch, sent } = setUp((clock) => ({
    bucket: tokenBucket({ capacity: 1, refillPerSecond: 1, nonConforming: 'reject', clock }),
    budget: Object.assign(retryBudget({ clock }), {
      begin: () => void inFlight.push('begin'),
      end: () => void inFlight.push('end'),
    }),
  }));
  await fetch(URL_OF);
  const error: unknown = await fetch(URL_OF).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'NotSentError', reason: 'not-conforming' });
  expect([sent(), inFlight]).toEqual([1, ['begin', 'end', 'begin', 'end']]);
});

test.each([503, 0])(
  'after a %i the parts go on in the call: each attempt takes its own tokens',
  async (status) => {
    const bucket = (clock: VirtualClock) => tokenBucket({ capacity: 10, refillPerSecond: 1, clock });
    const { fetch, policy, sent } = setUp((clock) => ({ bucket: bucket(clock), cost: 2 }), status);
    const response = await fetch(URL_OF, { redirect: 'manual' });
    expect([response.status, sent(), attemptsOf(response).length]).toEqual([200, 2, 2]);
    // A request that was refused its connection gets its tokens back.
    const spent = status === 0 ? 2 : 4;
    expect((policy.bucket as ReturnType<typeof bucket>).stats()).toMatchObject({ tokens: 10 - spent });
    expect(grantOf(response)).toMatchObject({ cost: 2 });
  },
);

test('a layer below does not take from the same bucket again', async () => {
  const { policy, base } = setUp((clock) => ({
    bucket: tokenBucket({ capacity: 10, refillPerSecond: 1, clock }),
  }));
  const outer = createFetch(policy, createFetch(policy, base));
  await outer(URL_OF);
  expect((policy.bucket as ReturnType<typeof tokenBucket>).stats().granted).toBe(1);
});

test('a throttle learns from it, and skips its chance while it is held', async () => {
  const own = throttle({ whenSkipped: 'fail' });
  const { fetch, sent } = setUp(() => ({ throttle: own }), 503, 503);
  const answer = await fetch(URL_OF, { ebb: { maxRetries: 0 } });
  expect(answer.status).toBe(503);
  own.hold();
  await expect(fetch(URL_OF)).rejects.toMatchObject({ name: 'NotSentError', reason: 'overload' });
  expect(sent()).toBe(1);
});

test('a bucket of the user sees the request, and each outcome', async () => {
  const seen: unknown[] = [];
  const own: OwnBucket = {
    tryAcquire: (cost = 1) => ({ cost, waitedMs: 0, grantedAtMs: 0, conforming: true, settle() {} }),
    acquire: () => Promise.reject(new Error('not called')),
    pausedBucketFor(request) {
      const { method, url, replayable, body } = request;
      seen.push([method, url, replayable, body, request.header('Accept')]);
      return undefined;
    },
    observe: (outcome, _, request) => seen.push([outcome.type, request?.method]),
  };
  const { fetch } = setUp(() => ({ bucket: ownBucket(own) }), 503);
  await fetch(URL_OF, { headers: { accept: 'text/plain' } });
  const shown = ['GET', URL_OF, true, undefined, 'text/plain'];
  expect(seen).toEqual([shown, ['response', 'GET'], shown, ['response', 'GET']]);
});

test('a bucket observes a success as any other outcome', async () => {
  const seen: unknown[] = [];
  const own: OwnBucket = {
    tryAcquire: (cost = 1) => ({ cost, waitedMs: 0, grantedAtMs: 0, conforming: true, settle() {} }),
    acquire: () => Promise.reject(new Error('not called')),
    observe: (outcome) => seen.push(outcome.type === 'response' && outcome.status),
  };
  await setUp(() => ({ bucket: ownBucket(own) })).fetch(URL_OF);
  expect(seen).toEqual([200]);
});

test('user code that throws at an answer frees the slot, and closes the response', async () => {
  const feedback = (): never => {
    throw new Error('broken');
  };
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  const bucket = tokenBucket({ refillPerSecond: 100, feedback });
  const cancel = vi.fn();
  const base = async () => new Response(new ReadableStream({ cancel }));
  const fetch = createFetch({ concurrency, bucket }, base);
  for (let call = 0; call < 2; call += 1) {
    await expect(fetch(URL_OF)).rejects.toMatchObject({ name: 'HookError', hook: 'feedback' });
    expect(concurrency.stats()).toMatchObject({ inUse: 0 });
  }
  expect(cancel).toHaveBeenCalledTimes(2);
});

test('a part that throws ends the call, and nothing is sent', async () => {
  const { fetch, sent } = setUp((clock) => ({
    bucket: tokenBucket({ capacity: 1, refillPerSecond: 1, clock }),
    cost: 5,
  }));
  await expect(fetch(URL_OF)).rejects.toThrow(RangeError);
  expect(sent()).toBe(0);
});

test('parts see the attempts of the call that goes on', async () => {
  const attempts: number[] = [];
  const part: Part = {
    name: 'own',
    place: 'tokens',
    taking: throttle().part.taking,
    begin: (call) => ({ leave: () => void attempts.push(call.attempt) }),
  };
  await setUp(() => ({ throttle: { ...throttle(), part } as never }), 503).fetch(URL_OF);
  expect(attempts).toEqual([1, 2]);
});

test('a function for costs is given one request in all attempts', async () => {
  const asked = new Set<object>();
  const cost = (request: object): number => {
    asked.add(request);
    return 1;
  };
  const { fetch, sent } = setUp(
    (clock) => ({ bucket: tokenBucket({ capacity: 5, refillPerSecond: 1, clock }), cost }),
    503,
  );
  await fetch(URL_OF);
  expect([sent(), asked.size]).toEqual([2, 1]);
});

test.skipIf(process.env.EBB_PLATFORM === 'web')(
  'a request that is marked has its event on the channel',
  async () => {
    const marked: unknown[] = [];
    const listener = (event: unknown): void => void marked.push(event);
    diagnostics.subscribe('ebb:mark', listener);
    try {
      const { fetch } = setUp((clock) => ({
        bucket: tokenBucket({ capacity: 1, refillPerSecond: 1, nonConforming: 'mark', clock }),
      }));
      await fetch(URL_OF);
      expect(marked).toEqual([]);
      await fetch(URL_OF);
      expect(marked).toMatchObject([{ type: 'mark', attempt: 1, request: { method: 'GET', url: URL_OF } }]);
    } finally {
      diagnostics.unsubscribe('ebb:mark', listener);
    }
  },
);
