import { attemptsOf, constant, createPolicy } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { delay, HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

const URL = 'http://upstream.test/';
const server = setupServer();
/** Times of the responses, by msw's own `delay`; all but the last are 503s. */
function respondAfter(...takesMs: number[]): void {
  server.use(
    http.get(URL, async () => {
      const isLast = takesMs.length === 1;
      await delay(takesMs.shift() ?? 0);
      return new HttpResponse('tea', { status: isLast ? 200 : 503 });
    }),
  );
}
const outcomes = (response: Response) => attemptsOf(response).map(({ status, failure }) => status ?? failure);

beforeAll(() => server.listen());
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

describe.each([
  ['all that vitest fakes', undefined],
  ['timers and performance', ['setTimeout', 'clearTimeout', 'performance'] as const],
])('fake timers and no clock of ebb: %s', (_, toFake) => {
  beforeEach(() => void vi.useFakeTimers(toFake && { toFake: [...toFake] }));
  afterEach(() => void vi.useRealTimers());

  test("msw's delays and the waits of ebb pass together", async () => {
    respondAfter(30_000, 500, 1_000);
    const fetch = createFetch(createPolicy({ attemptTimeoutMs: 2_000, backoff: constant(1_000) }));
    const startMs = performance.now();
    const pending = fetch(URL).then((response) => ({ response, afterMs: performance.now() - startMs }));
    await vi.advanceTimersByTimeAsync(60_000);
    const { response, afterMs } = await pending;
    expect(outcomes(response)).toEqual(['timeout', 503, 200]);
    // 2 s, 1 s, 500 ms, 1 s, 1 s.
    expect(afterMs).toBe(5_500);
  });
});

describe('a clock of ebb, and delays in real time', () => {
  test('the run waits for them', async () => {
    respondAfter(20, 20);
    const clock = virtualClock({ startMs: 0 });
    const fetch = createFetch(createPolicy({ clock, backoff: constant(60_000) }));
    const response = await clock.runUntilSettled(fetch(URL));
    expect([outcomes(response), clock.now()]).toEqual([[503, 200], 60_000]);
  });

  test('a timeout of an attempt comes after them with `ioMs`', async () => {
    respondAfter(20, 20);
    const clock = virtualClock({ startMs: 0 });
    const fetch = createFetch(
      createPolicy({ clock, attemptTimeoutMs: 30_000, maxRetries: 1, backoff: constant(0) }),
    );
    const response = await clock.runUntilSettled(fetch(URL), { ioMs: 10_000, realTimeoutMs: 40_000 });
    expect([outcomes(response), clock.now()]).toEqual([[503, 200], 0]);
  });
});

test('a clock of ebb beside fake timers', async () => {
  vi.useFakeTimers();
  const clock = virtualClock({ startMs: 0 });
  const statuses = [503, 503, 200];
  const stub = async () =>
    new Response('a body, which is read to its end', { status: statuses.shift() ?? 200 });
  const fetch = createFetch(
    createPolicy({ clock, attemptTimeoutMs: 1_000, backoff: constant(60_000) }),
    stub,
  );
  const response = await clock.runUntilSettled(fetch(URL));
  vi.useRealTimers();
  expect([response.status, clock.now()]).toEqual([200, 120_000]);
});
