import { expect, test } from 'vitest';
import { filesOfPart } from './part.ts';
import { percentOf, type Score, scoreOf, sum } from './score.ts';

const files = [5, 1, 9, 3, 7, 2].map((size) => ({ path: `${size}.ts`, size }));

test('each file is in one part, and the parts are about as large as each other', () => {
  const parts = ['1/3', '2/3', '3/3'].map((part) => filesOfPart(files, part));
  expect(parts).toEqual([['9.ts'], ['7.ts', '2.ts'], ['5.ts', '3.ts', '1.ts']]);
});

test.each(['0/3', '4/3', '3', ''])('there is no part %j', (part) => {
  expect(() => filesOfPart(files, part)).toThrow(RangeError);
});

const mutants = (...statuses: readonly string[]) => ({ mutants: statuses.map((status) => ({ status })) });
const first = scoreOf('core', '1/3', {
  files: { a: mutants('Killed', 'Killed', 'Survived'), b: mutants('Timeout') },
});
const last = scoreOf('core', '3/3', { files: { c: mutants('NoCoverage', 'Ignored') } });

test.each<[readonly Score[], number, readonly string[]]>([
  [[first], 75, ['2/3', '3/3']],
  [[first, last], 60, ['2/3']],
  [[], Number.NaN, []],
])('the score of parts: row %#', (scores, percent, missing) => {
  const { total, missing: lacking } = sum(scores);
  expect([percentOf(total), lacking]).toEqual([percent, missing]);
});
