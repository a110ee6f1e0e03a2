import { createPolicy, type Outcome, type RequestTraits, retry } from '@ebb/core';
import { describe, expect, test, vi } from 'vitest';

import { likeAxiosRetry } from './axios-retry.ts';
import { likeFetchRetry } from './fetch-retry.ts';
import { likePRetry } from './p-retry.ts';
import { asTimer } from './shared-options.ts';

const later = (async () => true) as never;
const promising = (() => Promise.reject(new Error('unseen'))) as never;

const requestOf = (method: string, more: object = {}): RequestTraits => ({
  ...{ method, url: 'https://api.example.com/a', replayable: true, header: () => undefined },
  ...more,
});
const response = (status: number): Outcome => ({ type: 'response', status, header: () => undefined });
const failure = (
  kind: 'connect' | 'network' | 'timeout' | 'aborted' | 'unknown',
  error: unknown,
): Outcome => ({
  ...{ type: 'failure', kind, error },
});
const GET = requestOf('GET');

test('a delay of 0 is said once of each library', async () => {
  // Modules of its own: other tests make options as well.
  vi.resetModules();
  const [{ likeAxiosRetry }, { likeFetchRetry }, { likePRetry }, { warnOfZero }] = await Promise.all([
    import('./axios-retry.ts'),
    import('./fetch-retry.ts'),
    import('./p-retry.ts'),
    import('./shared-options.ts'),
  ]);
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const texts = (): string[] => warned.mock.calls.map(([warning]) => (warning as Error).message);
  likeAxiosRetry({ retryDelay: () => 1 });
  likeFetchRetry();
  likePRetry();
  expect(texts()).toEqual([]);
  for (let time = 0; time < 2; time += 1) {
    likeAxiosRetry();
    likeFetchRetry({ retryDelay: 0 });
    likePRetry(time === 0 ? { minTimeout: 0 } : { maxTimeout: 0 });
  }
  expect(texts().map((text) => text.replace(/ retries.*: /, ' '))).toEqual([
    'likeAxiosRetry retryDelay gives a service in trouble time',
    'likeFetchRetry retryDelay gives a service in trouble time',
    'likePRetry minTimeout gives a service in trouble time',
  ]);
  warnOfZero('likePRetry', 'minTimeout');
  expect(texts()).toHaveLength(3);
  warned.mockRestore();
});

describe('what cannot be said is an error that says what to use', () => {
  test.each<[string, () => unknown, RegExp]>([
    ['retryCondition', () => likeAxiosRetry({ retryCondition: later }), /retryCondition .*inspect/],
    [
      'validateResponse',
      () => likeAxiosRetry({ validateResponse: later }),
      /validateResponse .*validateStatus/,
    ],
    ['retryOn', () => likeFetchRetry({ retryOn: later }), /retryOn .*inspect/],
    [
      'shouldConsumeRetry',
      () => likePRetry({ shouldConsumeRetry: later }),
      /shouldConsumeRetry .*shouldRetry/,
    ],
    ['signal', () => likePRetry({ signal: new EventTarget() as never }), /signal .*AbortSignal/],
    ['unref', () => likePRetry({ unref: true as never }), /unref .*clock/],
    ['another option', () => likePRetry({ forever: true } as never), /no option "forever"/],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  test('what says nothing is taken', () => {
    expect(() => likeAxiosRetry({ validateResponse: null })).not.toThrow();
    expect(() => likePRetry({ unref: false })).not.toThrow();
  });

  test.each<[string, () => unknown]>([
    ['retryCondition', () => likeAxiosRetry({ retryCondition: promising }).classify?.(response(503), GET, 1)],
    ['retryOn', () => likeFetchRetry({ retryOn: promising }).classify?.(response(503), GET, 1)],
  ])('a promise that %s returns', (name, judge) => {
    expect(judge).toThrow(`${name}: its result must be a function that returns no promise`);
  });

  test('a promise that shouldRetry returns over a client', () => {
    const request = requestOf('GET');
    const { classify, plugins } = likePRetry({ shouldRetry: promising });
    const policy = { clock: { now: () => 0 }, random: () => 0 };
    plugins?.[0]?.started?.({ policy, request } as never);
    expect(classify?.(failure('network', new Error('no')), request, 1)).toBe('final');
  });

  test('what is read of a response, but its status and headers', () => {
    const retryCondition = (error: object) =>
      (error as { response: { data: { code: string } } }).response.data.code === 'busy';
    const { classify } = likeAxiosRetry({ retryCondition });
    expect(() => classify?.(response(503), GET, 1)).toThrow(
      'error.response has no data: what needs the body',
    );
  });

  test('other plugins, without theirs', async () => {
    const failed = retry(() => Promise.reject(new Error('no')), { ...likePRetry(), plugins: [] });
    await expect(failed).rejects.toThrow('add it to theirs');
  });

  test('retries without an end', () => {
    const retries = Number.POSITIVE_INFINITY;
    expect(() => createPolicy(likePRetry({ retries }))).toThrow(/totalTimeoutMs/);
    expect(createPolicy(likePRetry({ retries, maxRetryTime: 1_000 })).maxRetries).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  });
});

test.each([
  [Number.NaN, 0],
  [undefined, 0],
  [-1, 0],
  [7.5, 7.5],
  [2 ** 31 - 1, 2 ** 31 - 1],
  [2 ** 31, 1],
  [Number.POSITIVE_INFINITY, 1],
])('a timer takes %d as %d ms', (given, ms) => {
  expect(asTimer(given)).toBe(ms);
});

describe('likeAxiosRetry over another client than axios', () => {
  const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' });
  test.each<[string, string, Outcome, string]>([
    ['a lost connection', 'POST', failure('network', new TypeError('x', { cause: reset })), 'transient'],
    ['a name not found', 'POST', failure('connect', { code: 'ENOTFOUND' }), 'final'],
    ['a timeout', 'GET', failure('timeout', new DOMException('x', 'TimeoutError')), 'final'],
    ['an abort', 'GET', failure('aborted', new DOMException('x', 'AbortError')), 'final'],
    ['a redirect', 'GET', response(304), 'final'],
  ])('%s of a %s', (_, method, outcome, verdict) => {
    expect(likeAxiosRetry().classify?.(outcome, requestOf(method), 1)).toBe(verdict);
  });
});

test('a status without validateStatus is a success, as in axios', () => {
  const request = requestOf('GET', { config: { validateStatus: null } });
  expect(likeAxiosRetry().classify?.(response(503), request, 1)).toBe('success');
  expect(likePRetry().classify?.(response(503), request, 1)).toBe('success');
});

describe('likePRetry', () => {
  test('computes a delay after a scheduled attempt that was skipped', () => {
    expect(likePRetry().backoff?.({ retry: 3, previousDelayMs: 1, random: () => 0 })).toBe(4_000);
  });
});
