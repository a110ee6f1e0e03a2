import { describe, expect, test } from 'vitest';
import { recordedRuns } from '../../cli/recorded-grid.ts';
import { BARS, mean, meanOf, shareAbove, worstOf } from './gains.ts';
import type { WorldRuns } from './runs.ts';
import { NO_RETRIES, SCHEMES, THROTTLE } from './schemes.ts';
import { WORLDS } from './worlds.ts';

// Over the recorded runs. `recorded.test.ts` runs some of them again.

const all = recordedRuns();

/** The shares of worlds in which the worst seed of a throttle must answer as much as others, less a margin. */
const NO_RETRIES_LESS_1 = 0.97;
const NO_RETRIES_LESS_3 = 1;
const RETRYING_LESS_3 = 0.97;
const ALL_LESS_3 = 0.9;
/** In percent, near the limit of a service: in the mean of all, and in points below no retries in the mean of each world. */
const NEAR_LIMIT = 98;
const NEAR_LIMIT_LESS = 1;
/** In percent, in the storm of 500 requests a second of 20 ms, by the number of clients: the worst seed. */
const STORM: readonly (readonly [clients: number, percent: number])[] = [
  [12, 78],
  [2_500, 66],
];

test('each world is recorded with each scheme and eight seeds', () => {
  expect(all.map(({ world }) => world)).toEqual(WORLDS);
  for (const { percents } of all) {
    expect(Object.keys(percents)).toEqual(Object.keys(SCHEMES));
    expect(Object.values(percents).map(({ length }) => length)).toEqual(Object.keys(SCHEMES).map(() => 8));
  }
});

describe('a throttle', () => {
  test.each([
    ['noRetries', NO_RETRIES_LESS_1],
    ['noRetriesNear', NO_RETRIES_LESS_3],
    ['retrying', RETRYING_LESS_3],
    ['all', ALL_LESS_3],
  ] as const)('answers as much as %s in %d of the worlds', (bar, share) => {
    const worst = worstOf(all, THROTTLE, 3).map(({ world }) => JSON.stringify(world));
    expect(shareAbove(all, THROTTLE, BARS[bar]), worst.join()).toBeGreaterThanOrEqual(share);
  });

  test('takes nothing away near the limit', () => {
    const near = all.filter(({ world }) => world.trouble.startsWith('load'));
    const lost = ({ percents }: WorldRuns): number =>
      mean(percents[NO_RETRIES] ?? []) - mean(percents[THROTTLE] ?? []);
    expect(meanOf(near, THROTTLE)).toBeGreaterThanOrEqual(NEAR_LIMIT);
    expect(Math.max(...near.map(lost))).toBeLessThanOrEqual(NEAR_LIMIT_LESS);
  });

  test.each(STORM)('in the storm, with %d clients, answers %d %% or more', (clients, percent) => {
    const world = { trouble: 'storm .9', clients, requestsPerSecond: 500, serviceMs: 20 };
    const found = all.find((one) => JSON.stringify(one.world) === JSON.stringify(world));
    expect(Math.min(...(found?.percents[THROTTLE] ?? []))).toBeGreaterThanOrEqual(percent);
  });
});
