import { describe, expect, test } from 'vitest';
import { ALONE, EXPECTED } from './expected.ts';
import { runAlone } from './run.ts';

describe.each([0, 1, 10])('beside %d other clients', (others) => {
  test.each(Object.entries(others === 0 ? ALONE : EXPECTED))('%s', async (row, expected) => {
    expect(await runAlone(row, others)).toEqual(expected);
  });
});
