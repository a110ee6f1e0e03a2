import { expect, test } from 'vitest';
import {
  compare,
  type Figures,
  IMPORTS,
  type Kind,
  PATHS,
  REQUESTS,
  SIZES,
  table,
  unmatched,
} from './compare.ts';

test.each<[kind: Kind, recorded: Figures, measured: Figures, says: readonly string[]]>([
  [REQUESTS, { instructions: 40_000 }, { instructions: 40_800 }, []],
  [
    REQUESTS,
    { instructions: 40_000 },
    { instructions: 40_801 },
    ['interpreted 40,000 → 40,801 (+2.0 %, 2 % is tolerated)'],
  ],
  [
    REQUESTS,
    { instructions: 40_000 },
    { instructions: 39_199 },
    ['interpreted 40,000 → 39,199 (-2.0 %, 2 % is tolerated)'],
  ],
  // A small figure may differ by an amount instead of a share.
  [REQUESTS, { instructions: 0, bytes: 0 }, { instructions: 50, bytes: 8 }, []],
  [
    REQUESTS,
    { instructions: 0, bytes: 0 },
    { instructions: 51, bytes: 9 },
    ['interpreted 0 → 51', 'bytes 0 → 9'],
  ],
  // A cost below zero, which is less than that of a loop by hand, is tolerated by its size.
  [REQUESTS, { bytes: -1_000 }, { bytes: -970 }, []],
  [REQUESTS, { bytes: -1_000 }, { bytes: -969 }, ['bytes -1,000 → -969']],
  [
    REQUESTS,
    { promises: 2, timers: 0 },
    { promises: 1, timers: 0.015625 },
    ['promises 2 → 1', 'timers 0 → 0.02'],
  ],
  // A bundle of 10,000 bytes may shrink to 9,900, and hardly grow.
  [SIZES, { web: 10_000 }, { web: 10_070 }, []],
  [SIZES, { web: 10_000 }, { web: 10_071 }, ['web 10,000 → 10,071 (70 more are tolerated)']],
  [SIZES, { web: 10_000 }, { web: 9_900 }, []],
  [SIZES, { web: 10_000 }, { web: 9_899 }, ['web 10,000 → 9,899 (-1.0 %, 1 % is tolerated)']],
  // Milliseconds are shown and not compared, nor is what one side lacks.
  [IMPORTS, { files: 1, thousands: 20_000, ms: 10 }, { files: 2, ms: 90 }, ['files 1 → 2']],
])('of two figures of a table: row %#', (kind, recorded, measured, says) => {
  expect(compare(kind, { one: recorded }, { one: measured })).toEqual(says.map((text) => `one: ${text}`));
  expect(compare(kind, {}, { one: measured })).toEqual([]);
});

test('the subjects that one side lacks are named', () => {
  expect(unmatched({ fetch: {}, undici: {} }, ['fetch', 'axios'])).toEqual(['axios', 'undici']);
});

test('the table shows both figures if they differ, and a goal that is not reached', () => {
  const recorded = { 'one retry': { files: 23, moves: 142 } };
  const measured = { 'one retry': { files: 24, moves: 142, functions: 145.257 }, another: { moves: 1 } };
  expect(`\n${table(PATHS, recorded, measured, { 'one retry': { files: 24, moves: 100 } })}\n`).toBe(`
path of a request     files            moves   functions
one retry           23 → 24   142 (goal 100)      145.26
another                                    1            
`);
});
