import { adaptiveThrottle, constant, interactive, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { createFetch } from '../create-fetch.ts';

/** What reading a body fails with. */
const errorOf = (response: Response) => response.text().catch((error: unknown) => error);

test('one that passes during a retry ends with the response before it', async () => {
  const clock = virtualClock({ startMs: 0 });
  let asked = 0;
  const service = (_: unknown, init?: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      asked += 1;
      if (asked === 1) resolve(new Response('busy', { status: 503 }));
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  const fetch = createFetch({ totalTimeoutMs: 500, backoff: constant(100), clock }, service);
  const response = await clock.runUntilSettled(fetch('http://service.test/'));
  expect([asked, response.status, await response.text(), clock.elapsedMs]).toEqual([2, 503, 'busy', 500]);
});

describe('a total timeout that covers the body', () => {
  const setUp = (options: PolicyOptions = {}) => {
    const clock = virtualClock({ startMs: 0 });
    const covering = {
      totalTimeoutMs: 500,
      totalTimeoutCovers: 'body',
      backoff: constant(0),
      clock,
    } as const;
    return { clock, fetch: createFetch({ ...covering, ...options }) };
  };

  test('counts from the call: after a retry it ends the body with a TimeoutError, not earlier', async () => {
    const server = await serve({ status: 503 }, 'endless-200');
    const retried = Promise.withResolvers<void>();
    const onEvent: PolicyOptions['onEvent'] = ({ type }) => type === 'retry' && retried.resolve();
    const { clock, fetch } = setUp({ backoff: constant(400), onEvent });
    const sent = fetch(server.url);
    await retried.promise;
    await clock.advance(400);
    const error = errorOf(await sent);
    await clock.advance(99);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await error).toMatchObject({ name: 'TimeoutError', message: 'no response within 500 ms' });
    expect(clock.pending).toBe(0);
  });

  // A page does not see the end of a body: the timer aborts nothing then.
  test.skipIf(process.env.EBB_PLATFORM === 'web').each([
    ['read', (response: Response) => response.text()],
    ['cancelled', (response: Response) => response.body?.cancel()],
  ])('leaves no timer once the body is %s', async (_, end) => {
    const server = await serve({ status: 200, body: 'up' });
    const { clock, fetch } = setUp();
    await end(await fetch(server.url));
    await expect.poll(() => clock.pending).toBe(0);
  });
});

test('interactive() has a throttle of its own each time, and full jitter from 100 ms to a second', () => {
  const { backoff, throttle: own, ...rest } = interactive();
  expect(rest).toEqual({ attemptTimeoutMs: 1_000, totalTimeoutMs: 3_000, totalTimeoutCovers: 'body' });
  const most = [1, 2, 3, 4, 5, 6].map((retry) =>
    backoff?.({ retry, previousDelayMs: undefined, random: () => 1 }),
  );
  expect(most).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  expect(backoff?.({ retry: 1, previousDelayMs: undefined, random: () => 0 })).toBe(0);
  expect(own).toBeInstanceOf(adaptiveThrottle().constructor);
  expect(interactive().throttle).not.toBe(own);
});
