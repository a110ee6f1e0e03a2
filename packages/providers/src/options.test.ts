import type { Outcome, RequestTraits } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { classifyBy, refusingBusy } from './options.ts';

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
    ['until a date', response(503, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }), 'refused'],
    ['not of another', response(503, { 'retry-after': '1' }, true), 'final'],
    ['nor is a 502', response(502, { 'retry-after': '1' }), 'final'],
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
