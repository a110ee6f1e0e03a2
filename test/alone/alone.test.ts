import { expect, test } from 'vitest';
import { ALONE } from './expected.ts';
import { runAlone } from './run.ts';

test.each(Object.entries(ALONE))('%s, in a process with no other client', async (row, expected) => {
  expect(await runAlone(row, 0)).toEqual(expected);
});
