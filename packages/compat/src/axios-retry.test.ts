import type { Outcome, RequestTraits, StopReason } from '@ebb/core';
import { type EventFields, emit } from '@ebb/core/internal';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test, vi } from 'vitest';
import type { AxiosErrorLike } from './axios-error.ts';
import { likeAxiosRetry } from './axios-retry.ts';
import type { LikeAxiosRetryOptions } from './axios-retry-options.ts';

const requestOf = (config?: object): RequestTraits => ({
  ...{ method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined },
  ...(config && { config }),
});
const busy: Outcome = { type: 'response', status: 503, header: () => undefined };
/** Another default is said in a warning. */
const make = (options: LikeAxiosRetryOptions = {}) => likeAxiosRetry({ retryDelay: () => 200, ...options });

test('what it makes of its options', () => {
  const { plugins, onEvent, ...options } = make();
  expect(options).toMatchObject({ maxRetries: 3, methods: 'all', feedback: false });
  expect([plugins?.length, onEvent]).toEqual([1, undefined]);
  expect(make({ retries: 7 }).maxRetries).toBe(7);
  expect(make({ retries: Number.POSITIVE_INFINITY }).maxRetries).toBe(Number.POSITIVE_INFINITY);
});

test.each<[options: object, message: string]>([
  [{ retries: 0.5 }, 'retries must be a whole number ≥ 0, got 0.5'],
  [{ retryDelay: 5 }, 'retryDelay must be a function, got 5'],
  [{ retryCondition: true }, 'retryCondition must be a function, got true'],
])('%j is refused', (options, message) => {
  expect(() => make(options)).toThrow(`likeAxiosRetry: ${message}`);
});

describe('retryCondition', () => {
  test('is not asked after the last retry', () => {
    const retryCondition = vi.fn(() => false);
    expect(make({ retryCondition }).classify?.(busy, requestOf(), 4)).toBe('transient');
    expect(retryCondition).not.toHaveBeenCalled();
  });

  test.each<[story: string, outcome: Outcome, verdict: string]>([
    ['an abort', { type: 'failure', kind: 'aborted', error: { config: {} } }, 'final'],
    ['a mistake', { type: 'failure', kind: 'unknown', error: new TypeError('x') }, 'final'],
    ['an error of axios', { type: 'failure', kind: 'unknown', error: { config: {} } }, 'transient'],
    ['a lost connection', { type: 'failure', kind: 'network', error: 0 }, 'transient'],
  ])('of a yes-man: %s', (_, outcome, verdict) => {
    const { classify } = make({ retryCondition: () => true });
    expect(classify?.(outcome, requestOf(), 1)).toBe(verdict);
  });
});

describe('retryDelay', () => {
  const step = { retry: 2, previousDelayMs: undefined, random: () => 0 };

  test.each<[delayMs: unknown, waited: number]>([
    [200, 200],
    [undefined, 0],
    [-1, 0],
  ])('of %o waits for %d ms', (delayMs, waited) => {
    const retryDelay = vi.fn((_: number, _1: AxiosErrorLike) => delayMs as number);
    expect(make({ retryDelay }).backoff?.({ ...step, outcome: busy, request: requestOf() })).toBe(waited);
    expect(retryDelay).toHaveBeenCalledWith(2, expect.objectContaining({ status: 503 }));
    // A client that gives no request.
    expect(make({ retryDelay }).backoff?.(step)).toBe(waited);
    expect(retryDelay.mock.calls[1]?.[1].config).toEqual({ method: 'get', url: '' });
  });
});

describe('what its observers are called with', () => {
  const end = (reason: StopReason): EventFields => ({ type: 'end', reason, outcome: busy });

  test.each<[story: string, attempt: number, fields: EventFields, told: unknown[]]>([
    [
      'a retry',
      2,
      { type: 'retry', delayMs: 0, reason: 'transient', outcome: busy },
      ['retry', 2, 503, '/a'],
    ],
    ['the end of all retries', 4, end('retries-exhausted'), ['over', 503, 3]],
    ['another error at that time', 4, end('final'), ['over', 503, 3]],
    ['a success at last', 4, end('success'), []],
    ['an earlier end', 3, end('final'), []],
    ['an end without an outcome', 4, { type: 'end', reason: 'limited', outcome: undefined }, []],
    ['an attempt', 4, { type: 'attempt' }, []],
    [
      'a body that breaks',
      4,
      { type: 'resume', reason: 'idle', passedBytes: 0, delayMs: 0, outcome: busy },
      [],
    ],
  ])('%s', (_, attempt, fields, expected) => {
    const told: unknown[] = [];
    const { plugins } = make({
      onRetry: (count, error, config) =>
        told.push('retry', count, error.response?.status, (config as { url: string }).url),
      onMaxRetryTimesExceeded: (error, count) => told.push('over', error.response?.status, count),
    });
    const request = requestOf({ url: '/a' });
    const onEvent = plugins?.[0]?.onEvent;
    emit({ policy: { onEvent, clock: virtualClock() }, request, attempt }, fields);
    expect(told).toEqual(expected);
  });
});
