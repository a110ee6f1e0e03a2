import { type Attempt, attemptsOf } from '@ebb/core';
import { setHistory } from '@ebb/core/adapter';
import { expect, test } from 'vitest';
import { noteHedges } from './history.ts';

const HEDGES = [{ delayMs: 10, won: false, outcome: undefined }];
const entry = (attempt: number): Attempt => ({ attempt, delayMs: 0, waitedMs: 0, reason: 'transient' });

test.each<[string, readonly Attempt[], readonly Attempt[]]>([
  ['the last attempt', [entry(1), entry(2)], [entry(1), { ...entry(2), hedges: HEDGES }]],
  [
    'an attempt whose retry has come to nothing',
    [{ ...entry(1), hedges: HEDGES }, entry(2)],
    [{ ...entry(1), hedges: HEDGES }, entry(2)],
  ],
  ['none', [], []],
])('what is noted on a result belongs to the attempt that it is of: %s', (_, trace, attempts) => {
  const result = new Error('lost');
  noteHedges(result, HEDGES);
  setHistory(result, trace);
  expect(attemptsOf(result)).toEqual(attempts);
  expect(Object.keys(result)).toEqual([]);
});

test('nothing is noted without hedges, and nowhere on a frozen error', () => {
  const error = Object.freeze(new Error('lost'));
  noteHedges(error, HEDGES);
  const result = {};
  noteHedges(result, []);
  expect(Reflect.ownKeys(result)).toEqual([]);
});

test('a result without notes leaves the hedges of its attempts as they are', () => {
  const result = {};
  setHistory(result, [{ ...entry(1), hedges: HEDGES }]);
  expect(attemptsOf(result)).toEqual([{ ...entry(1), hedges: HEDGES }]);
});
