import type { Outcome, RequestTraits } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { type LikePRetryOptions, likePRetry, type PRetryContext } from './p-retry.ts';

const FUNCTION: RequestTraits = { method: 'GET', url: '', replayable: true, header: () => undefined };
const thrown = (error: unknown, kind: 'unknown' | 'network' | 'aborted' = 'unknown'): Outcome => ({
  ...{ type: 'failure', kind, error },
});
const failed = thrown(new Error('no'));
const NEVER = Number.POSITIVE_INFINITY;

/** A call that goes on for a while, and what its functions were given. */
function setUp(options: LikePRetryOptions = {}, elapsedMs = 0, request: RequestTraits = { ...FUNCTION }) {
  const clock = virtualClock({ startMs: 5_000 });
  const failures: PRetryContext[] = [];
  const asked: PRetryContext[] = [];
  const { classify, backoff, plugins, ...rest } = likePRetry({
    onFailedAttempt: (context) => void failures.push(context),
    ...options,
    shouldRetry: (context) => {
      asked.push(context);
      return options.shouldRetry?.(context) ?? true;
    },
  });
  const policy = { clock, random: () => 0.5 };
  plugins?.[0]?.started?.({ policy, request } as never);
  clock.tick(elapsedMs);
  return {
    ...{ failures, asked, rest },
    judge: (outcome: Outcome, attempt: number) => classify?.(outcome, request, attempt),
    delayMs: (retry: number, outcome: Outcome | undefined = failed) =>
      backoff?.({ retry, previousDelayMs: undefined, random: () => 0.5, outcome, request }),
  };
}

test.each<[options: object, message: string]>([
  [{ retries: -1 }, 'retries must be a whole number ≥ 0, got -1'],
  [{ maxRetryTime: -1 }, 'maxRetryTime must be a finite number ≥ 0, got -1'],
  [{ randomize: 1 }, 'randomize must be true or false, got 1'],
])('%j is refused', (options, message) => {
  expect(() => likePRetry(options)).toThrow(`likePRetry: ${message}`);
});

test.each<[options: LikePRetryOptions, retry: number, delayMs: number]>([
  [{}, 1, 1_000],
  [{}, 3, 4_000],
  [{}, 40, 2 ** 31 - 1],
  [{ factor: 0 }, 3, 1_000],
  [{ factor: 1.5, minTimeout: 101 }, 2, 152],
  [{ maxTimeout: NEVER }, 2, 2_000],
  [{ maxTimeout: 2_500.5 }, 3, 2_501],
  [{ maxTimeout: 0 }, 3, 0],
  [{ minTimeout: 0 }, 2_000, 0],
  [{ randomize: true }, 2, 3_000],
  [{ randomize: true, maxTimeout: 2_500 }, 2, 2_500],
])('%o: retry %d comes after %d ms', (options, retry, delayMs) => {
  expect(setUp(options).delayMs(retry)).toBe(delayMs);
  // After a scheduled attempt that was skipped.
  expect(setUp(options).delayMs(retry, undefined)).toBe(delayMs);
  const { judge, failures } = setUp({ ...options, retries: 3_000 });
  judge(failed, retry);
  expect(failures[0]?.retryDelay).toBe(delayMs);
});

describe('what its functions are given', () => {
  type Row = [
    story: string,
    options: LikePRetryOptions,
    elapsedMs: number,
    attempt: number,
    outcome: Outcome,
    context: Omit<PRetryContext, 'error'>,
    isAsked: boolean,
    verdict: string,
  ];
  const context = (attemptNumber: number, retriesLeft: number, retryDelay: number) => ({
    ...{ attemptNumber, retriesLeft, retriesConsumed: attemptNumber - 1, retryDelay },
  });

  test.each<Row>([
    ['the first failure', {}, 0, 1, failed, context(1, 10, 1_000), true, 'transient'],
    ['the last that is retried', {}, 0, 10, failed, context(10, 1, 512_000), true, 'transient'],
    ['the last', {}, 0, 11, failed, context(11, 0, 0), false, 'transient'],
    ['a no', { shouldRetry: () => false }, 0, 1, failed, context(1, 10, 1_000), true, 'final'],
    ['a mistake', {}, 0, 1, thrown(new TypeError('x')), context(1, 10, 0), false, 'final'],
    ['at that time', { maxRetryTime: 99 }, 99, 1, failed, context(1, 10, 0), false, 'final'],
    [
      'an abort within a function, which may be a timeout',
      {},
      0,
      1,
      thrown(new Error('no'), 'aborted'),
      context(1, 10, 1_000),
      true,
      'transient',
    ],
  ])('%s', (_, options, elapsedMs, attempt, outcome, expected, isAsked, verdict) => {
    const { judge, failures, asked } = setUp(options, elapsedMs);
    expect(judge(outcome, attempt)).toBe(verdict);
    expect(failures).toEqual([{ ...expected, error: (outcome as { error: unknown }).error }]);
    expect(asked).toEqual(isAsked ? failures : []);
    expect(Object.isFrozen(failures[0])).toBe(true);
  });

  test.each<[story: string, outcome: Outcome, request: RequestTraits]>([
    ['an AbortError of p-retry', thrown({ originalError: new Error('no') }, 'aborted'), FUNCTION],
    ['an abort of a client', thrown(new Error('no'), 'aborted'), { ...FUNCTION, url: 'https://a.test/' }],
  ])('nothing of %s', (_, outcome, request) => {
    const { judge, failures, asked } = setUp({}, 0, { ...request });
    expect(judge(outcome, 1)).toBe('final');
    expect([failures, asked]).toEqual([[], []]);
  });

  test('an originalError of another failure ends nothing', () => {
    const { judge, asked } = setUp();
    expect(judge(thrown(Object.assign(new Error('no'), { originalError: 1 })), 1)).toBe('transient');
    expect(asked).toHaveLength(1);
  });
});

test('a wait ends with the time for retries', () => {
  const { judge, delayMs } = setUp({ maxRetryTime: 700 }, 100);
  expect(delayMs(1)).toBe(1_000);
  judge(failed, 1);
  expect(delayMs(1)).toBe(600);
  expect(setUp({ maxRetryTime: 7_000 }, 100).delayMs(2)).toBe(2_000);
});

test.each<[story: string, status: number, config: object | undefined, verdict: string, error?: string]>([
  ['of fetch', 503, undefined, 'success'],
  ['that axios accepts', 503, { validateStatus: () => true }, 'success'],
  [
    'that axios rejects',
    503,
    { validateStatus: () => false },
    'transient',
    'Request failed with status code 503',
  ],
])('a status %s', (_, status, config, verdict, message) => {
  const request = { ...FUNCTION, url: 'https://a.test/', ...(config && { config }) };
  const { judge, failures } = setUp({}, 0, request);
  expect(judge({ type: 'response', status, header: () => undefined }, 1)).toBe(verdict);
  expect(failures.map(({ error }) => error.message)).toEqual(message === undefined ? [] : [message]);
});
