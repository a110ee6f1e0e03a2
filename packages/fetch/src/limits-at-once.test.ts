import diagnostics from 'node:diagnostics_channel';
import {
  attemptsOf,
  concurrencyLimit,
  constant,
  createPolicy,
  grantOf,
  type PolicyOptions,
  tokenBucket,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { expect, test, vi } from 'vitest';
import { ownBucket, ownBudget } from '../../core/test/own.ts';
import { createFetch } from './index.ts';

const URL_OF = 'https://api.example.com/items';
const clock = virtualClock({ startMs: 1e6 });
const bucketOf = (capacity: number, nonConforming?: 'reject' | 'mark') =>
  tokenBucket({ capacity, refillPerSecond: 1, nonConforming, clock });

/** A fetch whose limits give their permits at once, and to which no one listens. @param statuses 200 after them */
function setUp(options: PolicyOptions, ...statuses: number[]) {
  let sent = 0;
  const base = async (): Promise<Response> => {
    sent += 1;
    return new Response('hello', { status: statuses.shift() ?? 200 });
  };
  const fetch = createFetch(createPolicy({ clock, backoff: constant(0), ...options }), base);
  return { fetch, sent: () => sent };
}

test('a response has its history and its grant, which can be settled', async () => {
  const bucket = bucketOf(10);
  const response = await setUp({ bucket, cost: 4 }).fetch(URL_OF);
  expect(attemptsOf(response)).toMatchObject([{ attempt: 1, status: 200, waitedMs: 0, reason: 'success' }]);
  expect(grantOf(response)).toMatchObject({ cost: 4, conforming: true });
  expect(bucket.stats().tokens).toBe(6);
  grantOf(response)?.settle(1);
  expect(bucket.stats().tokens).toBe(9);
});

test('a bucket of your own sees the request, and the outcome of each attempt', async () => {
  const seen: unknown[] = [];
  const own: Parameters<typeof ownBucket>[0] = {
    tryAcquire(cost = 1, _, request) {
      const { method, url, replayable, body } = request ?? {};
      seen.push([method, url, replayable, body, request?.header('Accept')]);
      return { cost, waitedMs: 0, grantedAtMs: 0, conforming: true, settle() {} };
    },
    acquire: () => Promise.reject(new Error('not called')),
    observe: (outcome, _, request) =>
      seen.push([outcome.type === 'response' && outcome.status, request?.url]),
  };
  const { fetch } = setUp({ bucket: ownBucket(own) }, 503);
  await fetch(URL_OF, { headers: { accept: 'text/plain' } });
  const shown = ['GET', URL_OF, true, undefined, 'text/plain'];
  expect(seen).toEqual([shown, [503, URL_OF], shown, [200, URL_OF]]);
});

test('a budget counts a request as over that its bucket refuses', async () => {
  const told: string[] = [];
  const budget = ownBudget({
    balance: 1,
    deposit: () => undefined,
    withdraw: () => true,
    begin: () => void told.push('begin'),
    end: () => void told.push('end'),
  });
  const { fetch, sent } = setUp({ bucket: bucketOf(1, 'reject'), budget });
  await fetch(URL_OF);
  await expect(fetch(URL_OF)).rejects.toMatchObject({ name: 'NotSentError', reason: 'not-conforming' });
  expect([sent(), told]).toEqual([1, ['begin', 'end', 'begin', 'end']]);
});

test('a feedback that fails closes the response, and frees its slot', async () => {
  const feedback = (): never => {
    throw new Error('broken');
  };
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  const bucket = tokenBucket({ refillPerSecond: 100, feedback });
  const cancel = vi.fn();
  const fetch = createFetch(
    { concurrency, bucket },
    async () => new Response(new ReadableStream({ cancel })),
  );
  for (let call = 0; call < 2; call += 1) {
    await expect(fetch(URL_OF)).rejects.toMatchObject({ name: 'HookError', hook: 'feedback' });
    expect(concurrency.stats().inUse).toBe(0);
  }
  expect(cancel).toHaveBeenCalledTimes(2);
});

test('a function for costs is given one request in all attempts', async () => {
  const cost = vi.fn((_: object) => 1);
  const { fetch, sent } = setUp({ bucket: bucketOf(5), cost }, 503);
  await fetch(URL_OF);
  expect([sent(), new Set(cost.mock.calls.flat()).size]).toEqual([2, 1]);
});

test.skipIf(process.env.EBB_PLATFORM === 'web')(
  'a request that is marked has its event on the channel',
  async () => {
    const marked: unknown[] = [];
    const listener = (event: unknown): void => void marked.push(event);
    diagnostics.subscribe('ebb:mark', listener);
    try {
      const { fetch } = setUp({ bucket: bucketOf(1, 'mark') });
      await fetch(URL_OF);
      expect(marked).toEqual([]);
      await fetch(URL_OF);
      expect(marked).toMatchObject([{ type: 'mark', attempt: 1, request: { method: 'GET', url: URL_OF } }]);
    } finally {
      diagnostics.unsubscribe('ebb:mark', listener);
    }
  },
);
