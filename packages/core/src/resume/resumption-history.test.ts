import { describe, expect, test } from 'vitest';
import { type Attempt, attemptsOf, setHistory } from '../loop/history.ts';
import { copyHistory, haveCredentials, setHistoryOfResumption } from './resumer.ts';

describe('the history of a response', () => {
  const attempt = (number: number, more: Partial<Attempt> = {}): Attempt => ({
    ...{ attempt: number, delayMs: 0, waitedMs: 0, status: 200, reason: 'success' },
    ...more,
  });
  const error = new TypeError('terminated', { cause: { code: 'ECONNRESET' } });
  const resumption = { reason: 'broken', error, passedBytes: 5, delayMs: 70 } as const;

  test('goes on with the attempts of the request for the rest', () => {
    const [response, result] = [{}, {}];
    setHistory(response, [attempt(1, { status: 503, reason: 'transient' }), attempt(2, { delayMs: 9 })]);
    setHistory(result, [attempt(1, { delayMs: 1 }), attempt(2, { delayMs: 2 })]);
    setHistoryOfResumption(response, result, resumption);
    expect(attemptsOf(response)).toEqual([
      attempt(1, { status: 503, reason: 'transient' }),
      attempt(2, { delayMs: 9, failure: 'network', code: 'ECONNRESET', reason: 'resumed' }),
      attempt(3, { delayMs: 71 }),
      attempt(4, { delayMs: 2 }),
    ]);
    const failed = new Error('x');
    copyHistory(failed, response);
    expect(attemptsOf(failed)).toEqual(attemptsOf(response));
  });

  test('stays empty without one', () => {
    const [response, result] = [{}, {}];
    setHistory(result, [attempt(1)]);
    setHistoryOfResumption(response, result, resumption);
    expect(attemptsOf(response)).toEqual([]);
  });
});

test.each([
  [[], false],
  [['accept', 'range'], false],
  [['Accept', 'Authorization'], true],
  [['cookie'], true],
  [['x-csrf-token'], true],
  [['X-Api-Key'], true],
  [['apikey'], true],
])('the headers %j: they may have credentials: %s', (names, may) => {
  expect(haveCredentials(names)).toBe(may);
});
