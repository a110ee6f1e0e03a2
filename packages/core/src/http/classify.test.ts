import { expect, test } from 'vitest';
import { responds } from '../../test/asks.ts';
import { classifyHttp, classifyHttpByMeaning, isIdempotent, isTrouble } from './classify.ts';
import type { FailureKind, ResponseOutcome } from './outcome.ts';

test('classifyHttp retries 429 and every 5xx', () => {
  for (let status = 100; status < 700; status += 1) {
    const expected =
      status < 400
        ? 'success'
        : status === 429
          ? 'refused'
          : status >= 500 && status < 600
            ? 'transient'
            : 'final';
    expect(classifyHttp(responds(status)), String(status)).toBe(expected);
  }
});

test('without a wait, classifyHttpByMeaning differs for 408, 425, 501 and 505 only', () => {
  const changed = new Map([
    [408, 'transient'],
    [425, 'refused'],
    [501, 'final'],
    [505, 'final'],
  ]);
  for (let status = 100; status < 700; status += 1) {
    expect(classifyHttpByMeaning(responds(status))).toBe(
      changed.get(status) ?? classifyHttp(responds(status)),
    );
  }
});

const PAST = 'Sun, 06 Nov 1994 08:49:37 GMT';

test.each<[headers: Record<string, string>, redirected: boolean | undefined, verdict: string]>([
  [{}, undefined, 'transient'],
  [{ 'retry-after': '0' }, undefined, 'transient'],
  [{ 'retry-after': '-1' }, undefined, 'transient'],
  [{ 'retry-after': 'soon' }, undefined, 'transient'],
  [{ 'retry-after': '1' }, undefined, 'refused'],
  [{ 'retry-after': '0.5' }, false, 'refused'],
  [{ 'retry-after': '1' }, true, 'transient'],
  [{ 'retry-after': 'Sun, 06 Nov 2044 08:49:37 GMT' }, undefined, 'refused'],
  [{ 'retry-after': PAST, date: PAST }, undefined, 'transient'],
])('classifyHttpByMeaning calls a 503 with %j, redirected %s, %s', (headers, redirected, verdict) => {
  const outcome = { ...responds(503, headers), redirected } as ResponseOutcome;
  expect(classifyHttpByMeaning(outcome)).toBe(verdict);
  expect(classifyHttp(outcome)).toBe('transient');
  // A wait says so of a 503 alone.
  expect(classifyHttpByMeaning({ ...outcome, status: 502 })).toBe('transient');
});

test('429 and every 5xx are trouble, and no answer', () => {
  const trouble = Array.from({ length: 600 }, (_, at) => at + 100).filter(isTrouble);
  expect(trouble).toEqual([429, ...Array.from({ length: 100 }, (_, at) => 500 + at)]);
});

test('a method that has the name of an idempotent one in its own is another', () => {
  expect(['GET', 'QUERY', 'TARGET', 'GETALL', 'POST', 'PATCH'].filter(isIdempotent)).toEqual([
    'GET',
    'QUERY',
  ]);
});

test.each<[FailureKind, string]>([
  ['connect', 'refused'],
  ['network', 'transient'],
  ['timeout', 'transient'],
  ['aborted', 'final'],
  ['unknown', 'final'],
])('a failure of kind %s is %s', (kind, verdict) => {
  expect(classifyHttp({ type: 'failure', kind, error: new Error() })).toBe(verdict);
});
