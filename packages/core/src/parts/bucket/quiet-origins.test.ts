import { describe, expect, test } from 'vitest';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import { type ReadFeedback, serverFeedback } from '../../http/server-feedback.ts';
import { virtualClock } from '../../testing.ts';
import { QuietOrigins } from './quiet-origins.ts';
import { tokenBucket } from './token-bucket.ts';

const USED_UP = { 'ratelimit-remaining': '0', 'ratelimit-reset': '60' };
const LEFT = { 'ratelimit-remaining': '5', 'ratelimit-reset': '60' };

function to(url: string): RequestTraits {
  return { method: 'GET', url, replayable: true, header: () => undefined };
}

/** A bucket, and a function that sends a request through it and returns how many headers of its response were read. */
function setUp(feedback?: ReadFeedback) {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 1e6, capacity: 1e6, clock, feedback });
  const send = (url: string, headers: Record<string, string> = {}, status = 200, from?: string): number => {
    let read = 0;
    const header = (name: string): string | undefined => {
      read += 1;
      return headers[name];
    };
    const grant = bucket.tryAcquire();
    if (grant === undefined) throw new Error('no token');
    const outcome: Outcome = { type: 'response', status, header, url: from };
    bucket.observe?.(outcome, grant, to(url));
    return read;
  };
  const isPaused = (): boolean => bucket.stats().pausedMs > 0;
  return { clock, send, isPaused };
}

describe('successful responses of an origin that reports no quota', () => {
  test('the first is read, and then one in 32', () => {
    const { send } = setUp();
    const read = Array.from({ length: 97 }, (_, sent) => send(`https://a.test/${sent}`) > 0);
    expect(read.flatMap((was, sent) => (was ? [sent] : []))).toEqual([0, 32, 64, 96]);
  });

  test('one is read when 100 ms have passed', async () => {
    const { clock, send } = setUp();
    expect(send('https://a.test/')).toBeGreaterThan(0);
    await clock.advance(99);
    expect(send('https://a.test/')).toBe(0);
    await clock.advance(1);
    expect(send('https://a.test/')).toBeGreaterThan(0);
    expect(send('https://a.test/')).toBe(0);
  });

  test('a quota that it reports later is found at the 32nd response, and all are read from then on', () => {
    const { send, isPaused } = setUp();
    send('https://a.test/');
    const sent = Array.from({ length: 32 }, () => send('https://a.test/', LEFT));
    expect(sent.findIndex((read) => read > 0)).toBe(31);
    expect(isPaused()).toBe(false);
    send('https://a.test/', USED_UP);
    expect(isPaused()).toBe(true);
  });

  test.each([403, 429, 503])('one with status %i is always read', (status) => {
    const { send, isPaused } = setUp();
    for (let sent = 0; sent < 5; sent += 1) send('https://a.test/');
    send('https://a.test/', { 'retry-after': '5' }, status);
    expect(isPaused()).toBe(true);
  });
});

test('the first response of each origin is read', () => {
  const { send, isPaused } = setUp();
  for (let sent = 0; sent < 20; sent += 1) send('https://a.test/');
  send('https://a.test.b.test/', USED_UP);
  expect(isPaused()).toBe(true);
});

test('a redirect counts for its target', () => {
  const { send, isPaused } = setUp();
  for (let sent = 0; sent < 20; sent += 1) send('https://a.test/');
  send('https://a.test/', USED_UP, 200, 'https://b.test/');
  expect(isPaused()).toBe(true);
});

test('an origin that reports its quota is always read, also if some of its responses do not', () => {
  const { send, isPaused } = setUp();
  send('https://a.test/', LEFT);
  for (let sent = 0; sent < 20; sent += 1) expect(send('https://a.test/')).toBeGreaterThan(0);
  send('https://a.test/', USED_UP);
  expect(isPaused()).toBe(true);
});

test('a feedback function of the user is given every response', () => {
  let given = 0;
  const { send } = setUp((outcome, nowMs) => {
    given += 1;
    return serverFeedback(outcome, nowMs);
  });
  for (let sent = 0; sent < 20; sent += 1) expect(send('https://a.test/')).toBeGreaterThan(0);
  expect(given).toBe(20);
});

test('a response without a request is read', () => {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ refillPerSecond: 1e6, capacity: 1e6, clock });
  for (const headers of [{}, {}, USED_UP]) {
    const grant = bucket.tryAcquire();
    const header = (name: string): string | undefined => (headers as Record<string, string>)[name];
    if (grant !== undefined) bucket.observe?.({ type: 'response', status: 200, header }, grant);
  }
  expect(bucket.stats().pausedMs).toBeGreaterThan(0);
});

test('a hundred origins are remembered, and with one more all are new', () => {
  const quiet = new QuietOrigins();
  for (let origin = 0; origin < 100; origin += 1) expect(quiet.mayIgnore(`${origin}`, 0)).toBe(false);
  for (let origin = 0; origin < 100; origin += 1) expect(quiet.mayIgnore(`${origin}`, 0)).toBe(true);
  expect(quiet.mayIgnore('one more', 0)).toBe(false);
  expect(quiet.mayIgnore('0', 0)).toBe(false);
  expect(quiet.mayIgnore('one more', 0)).toBe(true);
});
