import { describe, expect, test } from 'vitest';
import { type Cost, compare, table, unmatched } from './compare.ts';

const cost: Cost = {
  instructions: 40_000,
  bytes: 1_000,
  promises: 2,
  timers: 0,
  clockReads: 2,
  abortListeners: 0,
};

describe('compare', () => {
  test.each<[change: Partial<Cost>, says: string]>([
    [{ instructions: 40_801 }, 'instructions 40,000 → 40,801 (+2.0 %, 2 % is tolerated)'],
    [{ instructions: 39_199 }, 'instructions 40,000 → 39,199 (-2.0 %, 2 % is tolerated)'],
    [{ bytes: 1_100 }, 'bytes 1,000 → 1,100 (+10.0 %, 3 % is tolerated)'],
    [{ promises: 3 }, 'promises 2 → 3'],
    [{ promises: 1 }, 'promises 2 → 1'],
    [{ timers: 1 }, 'timers 0 → 1'],
    [{ timers: 0.015625 }, 'timers 0 → 0.02'],
    [{ clockReads: 1 }, 'clock reads 2 → 1'],
    [{ abortListeners: 1 }, 'abort listeners 0 → 1'],
  ])('%o differs', (change, says) => {
    expect(compare({ fetch: cost }, { fetch: { ...cost, ...change } })).toEqual([`fetch: ${says}`]);
  });

  test.each<Partial<Cost>>([
    {},
    { instructions: 40_800 },
    { instructions: 39_200 },
    { bytes: 1_030 },
    { bytes: 970 },
  ])('%o is tolerated', (change) => {
    expect(compare({ fetch: cost }, { fetch: { ...cost, ...change } })).toEqual([]);
  });

  test('a small figure may differ by an amount instead of a share', () => {
    const none = { ...cost, instructions: 0, bytes: 0 };
    const compareWith = (change: Partial<Cost>) => compare({ core: none }, { core: { ...none, ...change } });
    expect(compareWith({ instructions: 50, bytes: 8 })).toEqual([]);
    expect(compareWith({ instructions: 51, bytes: 9 })).toEqual([
      'core: instructions 0 → 51',
      'core: bytes 0 → 9',
    ]);
  });

  test('a cost below zero, which is less than that of a loop by hand, is tolerated by its size', () => {
    const less = { ...cost, bytes: -1_000 };
    expect(compare({ fetch: less }, { fetch: { ...less, bytes: -970 } })).toEqual([]);
    expect(compare({ fetch: less }, { fetch: { ...less, bytes: -969 } })).toEqual([
      'fetch: bytes -1,000 → -969',
    ]);
  });

  test('what was not measured is not compared', () => {
    const { instructions: _, ...counted } = cost;
    expect(compare({ fetch: cost, axios: cost }, { fetch: counted })).toEqual([]);
  });

  test('a subject without a record is not compared', () => {
    expect(compare({}, { fetch: cost })).toEqual([]);
  });
});

test('unmatched names the subjects that one side lacks', () => {
  expect(unmatched({ fetch: cost, undici: cost }, ['fetch', 'axios'])).toEqual(['axios', 'undici']);
});

test('the table shows both figures if they differ', () => {
  const { instructions: _, ...counted } = cost;
  const measured = { fetch: { ...cost, bytes: 1_200, promises: 3 }, undici: cost, new: counted };
  expect(`\n${table({ fetch: cost, undici: cost }, measured)}\n`).toBe(`
added to one request   instructions           bytes   promises   timers   clock reads   abort listeners
fetch                        40,000   1,000 → 1,200      2 → 3        0             2                 0
undici                       40,000           1,000          2        0             2                 0
new                                           1,000          2        0             2                 0
`);
});
