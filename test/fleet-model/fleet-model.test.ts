import { seededRandom } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { explore, walk } from './explore.ts';
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
  expect(most.get('no trouble')).toBe(1);
});

test.each([2, 3])('%i processes, in long orders that are drawn at random', (processes) => {
  let [leased, local] = [0, 0];
  for (let seed = 1; seed <= 40; seed += 1) {
    const world = walk(newWorld(processes), 100, { ...ANY_TROUBLE, all: 6 }, seededRandom(seed));
    leased += world.leased.granted;
    local += world.local.granted;
  }
  expect(leased).toBeGreaterThan(100);
  expect(local).toBeGreaterThan(0);
});
