import { type Attempt, grantOf } from '@ebb/core';
import { attemptsOf, setHistory } from '@ebb/core/adapter';
import { describe, expect, test } from 'vitest';
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
    const before = [attempt(1, { status: 503, reason: 'transient' }), attempt(2, { delayMs: 8 })];
    setHistory(response, [...before, attempt(3, { delayMs: 9 })]);
    setHistory(result, [attempt(1, { delayMs: 1 }), attempt(2, { delayMs: 2 })]);
    setHistoryOfResumption(response, result, resumption);
    expect(attemptsOf(response)).toEqual([
      ...before,
      attempt(3, { delayMs: 9, failure: 'network', code: 'ECONNRESET', reason: 'resumed' }),
      attempt(4, { delayMs: 71 }),
      attempt(5, { delayMs: 2 }),
    ]);
    const failed = new Error('x');
    copyHistory(failed, response);
    expect(attemptsOf(failed)).toEqual(attemptsOf(response));
  });

  test.each<[ofBefore: string | undefined, ofRest: string | undefined, kept: string | undefined]>([
    ['before', 'rest', 'rest'],
    ['before', undefined, 'before'],
    [undefined, 'rest', 'rest'],
    [undefined, undefined, undefined],
  ])('has the tokens of the last request that took any: %s, %s', (ofBefore, ofRest, kept) => {
    const [response, result] = [{}, {}];
    const set = (of: object, grant: string | undefined): void =>
      setHistory(of, grant === undefined ? [attempt(1)] : ({ attempts: [attempt(1)], grant } as never));
    set(response, ofBefore);
    set(result, ofRest);
    setHistoryOfResumption(response, result, resumption);
    expect(grantOf(response)).toBe(kept);
    expect(attemptsOf(response)).toHaveLength(2);
    const failed = new Error('x');
    copyHistory(failed, response);
    expect(grantOf(failed)).toBe(kept);
  });

  test.each<[story: string, error: unknown, failure: string]>([
    ['an abort that is not the caller’s', new DOMException('x', 'AbortError'), 'unknown'],
    ['a lost connection of a browser', new TypeError('Load failed'), 'network'],
    ['another error of decoding', new TypeError('x', { cause: new Error('y') }), 'unknown'],
  ])('says how the body broke: %s', (_, error, failure) => {
    const response = {};
    setHistory(response, [attempt(1)]);
    setHistoryOfResumption(response, {}, { ...resumption, error });
    expect(attemptsOf(response)).toMatchObject([{ failure, reason: 'resumed' }]);
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
