import { expect, test } from 'vitest';
import { explore } from './explore.ts';
import { ANY_TROUBLE, newWorld } from './world.ts';

// `check fleet` goes deeper.

test.each([
  [2, 5, 1],
  [2, 6, 0],
  [3, 4, 1],
])('%i processes, in each order of %i events with %i troubles', (processes, depth, troubles) => {
  const { states, longestMs, most } = explore(newWorld(processes), depth, { ...ANY_TROUBLE, all: troubles });
  expect(states).toBeGreaterThan(100);
  expect(longestMs).toBeGreaterThan(0);
  if (troubles === 0) expect(most).toBe(1);
  else expect(most).toBeGreaterThanOrEqual(1);
});
