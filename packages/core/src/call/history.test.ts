import { describe, expect, test } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import type { Attempt } from '../events/events.ts';
import { LAYER } from '../nested/outer-call.ts';
import {
  attemptsOf,
  hasHistory,
  keepNotes,
  record,
  recordOf,
  setHistory,
  setHistoryOfReason,
  setHistoryOfSuccess,
  successOf,
} from './history.ts';

describe('a failure in the history', () => {
  test('has the code of its error, or of a cause', () => {
    const error = new TypeError('outer', {
      cause: Object.assign(new Error('inner'), { code: 'ECONNRESET' }),
    });
    expect(recordOf(1, 0, 0, { type: 'failure', kind: 'network', error }, 'final').code).toBe('ECONNRESET');
  });

  test('without a code there is no property', () => {
    const record = recordOf(2, 10, 5, { type: 'failure', kind: 'unknown', error: 'text' }, 'final');
    expect(record).toStrictEqual({
      attempt: 2,
      delayMs: 10,
      waitedMs: 5,
      failure: 'unknown',
      reason: 'final',
    });
  });
});

test('a history has the last hundred attempts', () => {
  const history: Attempt[] = [];
  for (let attempt = 1; attempt <= 250; attempt += 1)
    record(history, { attempt, delayMs: 0, waitedMs: 0, reason: 'transient' });
  expect(history.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 100 }, (_, at) => 151 + at));
});

describe('the result of a call has its history', () => {
  const one: Attempt[] = [{ attempt: 1, delayMs: 0, waitedMs: 0, status: 200, reason: 'success' }];
  const other: Attempt[] = [{ attempt: 1, delayMs: 0, waitedMs: 0, status: 503, reason: 'final' }];

  test('an object whose getters throw has no history', () => {
    const strange = Object.defineProperty({}, 'history', { get: throwing() });
    expect(attemptsOf(strange)).toEqual([]);
    setHistory(strange, one);
    expect(attemptsOf(strange)).toBe(one);
  });

  test('the reason of a signal that ended several calls has no history', () => {
    const reason = new Error('enough');
    setHistoryOfReason(reason, one);
    expect(attemptsOf(reason)).toBe(one);
    setHistoryOfReason(reason, other);
    expect(attemptsOf(reason)).toEqual([]);
  });
});

describe('a success at once', () => {
  test.each([100, 200, 204, 304, 399])(
    'all with the status %i share one history, which no one can change',
    (status) => {
      const history = successOf(status);
      expect(history).toEqual([{ attempt: 1, delayMs: 0, waitedMs: 0, status, reason: 'success' }]);
      expect(successOf(status)).toBe(history);
      expect([Object.isFrozen(history), Object.isFrozen(history[0])]).toEqual([true, true]);
    },
  );

  test.each([0, 99, 99.5, 200.5, 400, -1, Number.NaN])(
    'none is kept for %d, which is no status of a success',
    (status) => {
      expect(successOf(status)).toMatchObject([{ status, reason: 'success' }]);
      expect(successOf(status)).not.toBe(successOf(status));
    },
  );

  test('is noted on its result', () => {
    const result = {};
    expect(hasHistory(result)).toBe(false);
    setHistoryOfSuccess(result, 200);
    expect(attemptsOf(result)).toBe(successOf(200));
    expect(hasHistory(result)).toBe(true);
  });
});

test.each([undefined, null, 5, 'text'])('%o has no history, and none can be noted on it', (result) => {
  setHistory(result, successOf(200));
  setHistoryOfReason(result, successOf(200));
  expect([attemptsOf(result), hasHistory(result)]).toEqual([[], false]);
});

test('the last entry gets what a client below has noted', () => {
  const history: Attempt[] = [1, 2].map((attempt) => ({
    attempt,
    delayMs: 0,
    waitedMs: 0,
    reason: 'transient',
  }));
  const hedges = [{ delayMs: 5, won: false, outcome: undefined }];
  keepNotes({ history }, { [LAYER]: { hedges } });
  expect(history.map((one) => one.hedges)).toEqual([undefined, hedges]);
  keepNotes({ history }, undefined);
  expect(history).toHaveLength(2);
});
