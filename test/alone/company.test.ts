import { describe, expect, test } from 'vitest';
import { EXPECTED } from './expected.ts';
import { runAlone } from './run.ts';

describe.each([1, 2, 10])('beside %d other clients', (others) => {
  test.each(Object.entries(EXPECTED))('%s finds what it finds alone', async (row, expected) => {
    expect(await runAlone(row, others)).toEqual(expected);
  });
});
