import type { Outcome, RequestTraits } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { aMinute, classifyBy, refusingBusy, repeatsPosts } from './options.ts';
import { stripe } from './stripe.ts';

const request: RequestTraits = { method: 'GET', url: '/', replayable: true, header: () => undefined };
const response = (status: number, headers: Record<string, string> = {}, redirected?: boolean): Outcome => ({
  ...{ type: 'response', status, redirected, header: (name: string) => headers[name] },
});

test('a rule for statuses is asked of errors but 429', () => {
  const asked: number[] = [];
  const classify = classifyBy((status) => {
    asked.push(status);
    return status % 2 === 0;
  });
  const verdicts = [200, 399, 400, 401, 428, 429, 430, 599].map((status) =>
    classify(response(status), request, 1),
  );
  expect(verdicts).toEqual([
    ...['success', 'success', 'transient', 'final', 'transient', 'refused', 'transient', 'final'],
  ]);
  expect(asked).toEqual([400, 401, 428, 430, 599]);
  expect(classify({ type: 'failure', kind: 'connect', error: 0, redirected: false }, request, 1)).toBe(
    'refused',
  );
});

describe('a 503 that asks for a wait is a refusal', () => {
  const classify = refusingBusy((_outcome, { method }, attempt) => {
    expect([method, attempt]).toEqual(['GET', 3]);
    return 'final';
  });

  test.each<[story: string, outcome: Outcome, verdict: string]>([
    ['of seconds', response(503, { 'retry-after': '1' }), 'refused'],
    ['of milliseconds', response(503, { 'retry-after-ms': '1' }), 'refused'],
    ['until a date', response(503, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }), 'refused'],
    ['of this server', response(503, { 'retry-after': '1' }, false), 'refused'],
    ['not of another', response(503, { 'retry-after': '1' }, true), 'final'],
    ['not of nothing', response(503, { 'retry-after': '0' }), 'final'],
    ['not without one', response(503), 'final'],
    ['nor is a 502', response(502, { 'retry-after': '1' }), 'final'],
    ['nor a failure', { type: 'failure', kind: 'network', error: 0 }, 'final'],
    // As an adapter in JavaScript may make it.
    [
      'nor one with the fields of a response',
      { ...response(503, { 'retry-after': '1' }), type: 'failure', kind: 'network', error: 0 } as Outcome,
      'final',
    ],
  ])('%s', (_, outcome, verdict) => {
    expect(classify(outcome, request, 3)).toBe(verdict);
  });
});

test('what is replayed of an idempotency key is final if it is an error of the server', () => {
  const { classify } = stripe();
  const replayed = (status: number, value: string) =>
    classify?.(response(status, { 'idempotent-replayed': value }), request, 1);
  expect([
    replayed(500, 'true'),
    replayed(599, 'true'),
    replayed(500, 'false'),
    replayed(409, 'true'),
  ]).toEqual([...['final', 'final', 'transient', 'transient']]);
  expect(classify?.({ type: 'failure', kind: 'timeout', error: 0 }, request, 1)).toBe('transient');
});

test('a minute of a quota, and whether a POST goes again', () => {
  expect(aMinute(90)).toEqual({ refillPerSecond: 1.5, capacity: 90 });
  const given = [undefined, true, false].map((repeatPosts) =>
    [true, false].map((byDefault) => repeatsPosts('x', { repeatPosts }, byDefault)),
  );
  expect(given).toEqual([
    [true, false],
    [true, true],
    [false, false],
  ]);
});
