import type { Outcome, RequestTraits } from '@ebb/core';
import type { ResponseOutcome } from '@ebb/core/internal';
import { describe, expect, test } from 'vitest';
import { type FetchResponseLike, type LikeFetchRetryOptions, likeFetchRetry } from './fetch-retry.ts';

const GET: RequestTraits = {
  method: 'GET',
  url: 'https://a.test/',
  replayable: true,
  header: () => undefined,
};
const fields: Readonly<Record<string, string>> = { 'retry-after': '5' };
const response = (status: number, more: Partial<ResponseOutcome> = {}): ResponseOutcome => ({
  ...{ type: 'response', status, header: (name: string) => fields[name] },
  ...more,
});
const lost: Outcome = { type: 'failure', kind: 'network', error: new TypeError('fetch failed') };
const step = { retry: 2, previousDelayMs: undefined, random: () => 0, request: GET };

test('what it makes of its options', () => {
  const set = { methods: 'all', feedback: false };
  expect(likeFetchRetry()).toMatchObject({ ...set, maxRetries: 3 });
  expect(likeFetchRetry({ retries: 0, retryOn: [503] })).toMatchObject({ ...set, maxRetries: 0 });
  // It ends the retries itself.
  const endless = { ...set, maxRetries: Number.MAX_SAFE_INTEGER };
  expect(likeFetchRetry({ retries: 1, retryOn: () => false })).toMatchObject(endless);
});

test.each<[options: object, message: string]>([
  [{ retries: -1 }, 'retries must be a whole number ≥ 0, got -1'],
  [{ retryDelay: '1' }, 'retryDelay must be a whole number ≥ 0, got "1"'],
  [{ retryOn: 503 }, 'retryOn must be a list of statuses, or a function, got 503'],
])('%j is refused', (options, message) => {
  expect(() => likeFetchRetry(options as LikeFetchRetryOptions)).toThrow(`likeFetchRetry: ${message}`);
});

describe('retryOn', () => {
  const list = [200, 503];
  const always = () => true;
  const never = () => false;

  test.each<[outcome: Outcome, retryOn: LikeFetchRetryOptions['retryOn'], verdict: string]>([
    [response(503), undefined, 'final'],
    [lost, undefined, 'transient'],
    [response(503), list, 'transient'],
    [response(200), list, 'transient'],
    [response(504), list, 'final'],
    [lost, list, 'transient'],
    [response(200), always, 'transient'],
    [lost, always, 'transient'],
    [{ type: 'failure', kind: 'aborted', error: 0 }, always, 'final'],
    [response(399), never, 'success'],
    [response(400), never, 'final'],
    [lost, never, 'final'],
  ])('%o by %o is %s', (outcome, retryOn, verdict) => {
    expect(likeFetchRetry({ retryOn }).classify?.(outcome, GET, 1)).toBe(verdict);
  });

  /** What a function is given of an outcome. */
  function given(
    outcome: Outcome | undefined,
    attempt = 1,
  ): [number, Error | null, FetchResponseLike | null] {
    let seen: unknown[] = [];
    const retryOn = (...all: unknown[]): boolean => {
      seen = all;
      return true;
    };
    if (outcome !== undefined) likeFetchRetry({ retryOn }).classify?.(outcome, GET, attempt);
    else {
      const { backoff } = likeFetchRetry({ retryDelay: (...all) => Number(retryOn(...all)) });
      backoff?.({ ...step, retry: attempt });
    }
    return seen as never;
  }

  test('is given the number of the attempt, from 0, and the error', () => {
    expect(given(lost, 3)).toEqual([2, new TypeError('fetch failed'), null]);
    // After a scheduled attempt that was skipped there is none.
    expect(given(undefined, 3)).toEqual([2, undefined, null]);
  });

  test.each<[outcome: ResponseOutcome, read: Omit<FetchResponseLike, 'headers'>]>([
    [response(199), { status: 199, ok: false, url: 'https://a.test/', redirected: false }],
    [response(200), { status: 200, ok: true, url: 'https://a.test/', redirected: false }],
    [response(299), { status: 299, ok: true, url: 'https://a.test/', redirected: false }],
    [
      response(300, { url: 'https://b.test/', redirected: true }),
      { status: 300, ok: false, url: 'https://b.test/', redirected: true },
    ],
  ])('or a response, as fetch has it: %o', (outcome, read) => {
    const [attempt, error, got] = given(outcome) as [number, null, FetchResponseLike];
    const { status, ok, url, redirected, headers } = got;
    expect([attempt, error, { status, ok, url, redirected }]).toEqual([0, null, read]);
    expect([headers.get('Retry-After'), headers.get('etag')]).toEqual(['5', null]);
    expect([headers.has('Retry-After'), headers.has('etag')]).toEqual([true, false]);
    expect(() => (got as unknown as Response).json()).toThrow('response has no json');
  });

  test('a response without a request has no URL', () => {
    let url: string | undefined;
    const { backoff } = likeFetchRetry({
      retryDelay: (_, _1, got) => {
        url = got?.url;
        return 1;
      },
    });
    backoff?.({ retry: 1, previousDelayMs: undefined, random: () => 0, outcome: response(503) });
    expect(url).toBe('');
  });
});
