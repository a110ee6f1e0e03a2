import { adaptiveThrottle, type Clock, concurrencyLimit, type PolicyOptions, retryBudget } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { HEALTHY_PROGRAMS, type HealthyProgram, play } from './programs.ts';

/** Limits that must leave a healthy program alone. */
const LIMITS: Readonly<Record<string, (clock: Clock) => PolicyOptions>> = {
  'adaptiveThrottle()': () => ({ throttle: adaptiveThrottle() }),
  "adaptiveThrottle({ whenSkipped: 'fail' })": () => ({
    throttle: adaptiveThrottle({ whenSkipped: 'fail' }),
  }),
  'retryBudget()': (clock) => ({ budget: retryBudget({ clock }) }),
  'concurrencyLimit({ maxConcurrent: 20 })': (clock) => ({
    concurrency: concurrencyLimit({ maxConcurrent: 20, clock }),
  }),
};

const programs = Object.entries(HEALTHY_PROGRAMS);

describe.each(Object.entries(LIMITS))('%s', (_, options) => {
  test.each(programs)('%s: nothing is put off or refused, and it takes no longer', async (__, program) => {
    const { totalMs } = await play(program, () => ({}));
    expect(await play(program, options)).toEqual({ skipped: 0, refused: 0, totalMs });
  });
});

test('a program takes as long as its calls, and what is not answered is counted', async () => {
  expect(programs.length).toBe(10);
  const alone = { callsMs: [5, 2_000], parallel: 1, attemptTimeoutMs: 1_000 };
  const refused = await play(alone, () => ({ maxRetries: 0 }));
  expect(refused).toEqual({ skipped: 0, refused: 1, totalMs: 1_005 });
  const held = adaptiveThrottle({ whenSkipped: 'fail' });
  held.isolate();
  expect(await play(alone, () => ({ throttle: held }))).toEqual({ skipped: 2, refused: 2, totalMs: 0 });
  const took = async (program: HealthyProgram): Promise<number> => (await play(program, () => ({}))).totalMs;
  expect(await took({ callsMs: [5, 100, 20], parallel: 1 })).toBe(125);
  expect(await took({ callsMs: [5, 100, 20], parallel: 2 })).toBe(100);
});
