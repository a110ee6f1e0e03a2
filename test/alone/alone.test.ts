import { expect, test } from 'vitest';
import { EXPECTED } from './expected.ts';
import { runAlone } from './run.ts';

test.each(Object.entries(EXPECTED))('%s, in a process with no other client', async (row, expected) => {
  expect(await runAlone(row, 0)).toEqual(expected);
});
