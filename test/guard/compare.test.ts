import { describe, expect, test } from 'vitest';
import { compare, type Figures, IMPORTS, PATHS, REQUESTS, SIZES, table, unmatched } from './compare.ts';

const cost: Figures = {
  instructions: 40_000,
  bytes: 1_000,
  promises: 2,
  timers: 0,
  clockReads: 2,
  abortListeners: 0,
};

describe('compare', () => {
  test.each<[change: Figures, says: string]>([
    [{ instructions: 40_801 }, 'interpreted 40,000 → 40,801 (+2.0 %, 2 % is tolerated)'],
    [{ instructions: 39_199 }, 'interpreted 40,000 → 39,199 (-2.0 %, 2 % is tolerated)'],
    [{ bytes: 1_100 }, 'bytes 1,000 → 1,100 (+10.0 %, 3 % is tolerated)'],
    [{ promises: 3 }, 'promises 2 → 3'],
    [{ promises: 1 }, 'promises 2 → 1'],
    [{ timers: 1 }, 'timers 0 → 1'],
    [{ timers: 0.015625 }, 'timers 0 → 0.02'],
    [{ clockReads: 1 }, 'clock reads 2 → 1'],
    [{ abortListeners: 1 }, 'abort listeners 0 → 1'],
  ])('%o differs', (change, says) => {
    expect(compare(REQUESTS, { fetch: cost }, { fetch: { ...cost, ...change } })).toEqual([`fetch: ${says}`]);
  });

  test.each<Figures>([
    {},
    { instructions: 40_800 },
    { instructions: 39_200 },
    { bytes: 1_030 },
    { bytes: 970 },
  ])('%o is tolerated', (change) => {
    expect(compare(REQUESTS, { fetch: cost }, { fetch: { ...cost, ...change } })).toEqual([]);
  });

  test('a small figure may differ by an amount instead of a share', () => {
    const none = { ...cost, instructions: 0, bytes: 0 };
    const compareWith = (change: Figures) =>
      compare(REQUESTS, { core: none }, { core: { ...none, ...change } });
    expect(compareWith({ instructions: 50, bytes: 8 })).toEqual([]);
    expect(compareWith({ instructions: 51, bytes: 9 })).toEqual([
      'core: interpreted 0 → 51',
      'core: bytes 0 → 9',
    ]);
  });

  test('a cost below zero, which is less than that of a loop by hand, is tolerated by its size', () => {
    const less = { ...cost, bytes: -1_000 };
    expect(compare(REQUESTS, { fetch: less }, { fetch: { ...less, bytes: -970 } })).toEqual([]);
    expect(compare(REQUESTS, { fetch: less }, { fetch: { ...less, bytes: -969 } })).toEqual([
      'fetch: bytes -1,000 → -969',
    ]);
  });

  test('what was not measured is not compared', () => {
    const { instructions: _, ...counted } = cost;
    expect(compare(REQUESTS, { fetch: cost, axios: cost }, { fetch: counted })).toEqual([]);
  });

  test('a subject without a record is not compared', () => {
    expect(compare(REQUESTS, {}, { fetch: cost })).toEqual([]);
  });
});

test('unmatched names the subjects that one side lacks', () => {
  expect(unmatched({ fetch: cost, undici: cost }, ['fetch', 'axios'])).toEqual(['axios', 'undici']);
});

test('milliseconds are shown and not compared', () => {
  const recorded = { '@ebb/fetch': { files: 1, thousands: 20_000, ms: 10 } };
  expect(compare(IMPORTS, recorded, { '@ebb/fetch': { files: 2, thousands: 20_500, ms: 90 } })).toEqual([
    '@ebb/fetch: files 1 → 2',
  ]);
});

test('the table shows both figures if they differ', () => {
  const recorded = { '@ebb/fetch': { files: 1, thousands: 20_000, ms: 10 } };
  const measured = {
    '@ebb/fetch': { files: 2, thousands: 20_500, ms: 90 },
    '@ebb/axios': { files: 3, ms: 1.257 },
  };
  expect(`\n${table(IMPORTS, recorded, measured)}\n`).toBe(`
added to the start of a program   files   thousand instructions   ms of CPU
@ebb/fetch                        1 → 2                  20,500          90
@ebb/axios                            3                                1.26
`);
});

test.each<[web: number, says: readonly string[]]>([
  [10_070, []],
  [10_071, ['@ebb/fetch: web 10,000 → 10,071 (70 more are tolerated)']],
  [10_100, ['@ebb/fetch: web 10,000 → 10,100 (70 more are tolerated)']],
  [9_900, []],
  [9_899, ['@ebb/fetch: web 10,000 → 9,899 (-1.0 %, 1 % is tolerated)']],
])('a bundle of 10,000 bytes may shrink to 9,900, and hardly grow: %d', (web, says) => {
  expect(compare(SIZES, { '@ebb/fetch': { web: 10_000 } }, { '@ebb/fetch': { web } })).toEqual(says);
});

test('the table shows the goal of a figure that has not reached it', () => {
  const goals = { 'one retry': { files: 24, moves: 100 } };
  const measured = { 'one retry': { files: 24, moves: 142, functions: 145 } };
  expect(`\n${table(PATHS, measured, measured, goals)}\n`).toBe(`
path of a request   files            moves   functions
one retry              24   142 (goal 100)         145
`);
});
