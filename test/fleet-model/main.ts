// Plays every order of events of a small fleet: calls, replies, lost calls and replies, a store that loses its key or whose clock is set,
// and processes that end. Then long orders that are drawn at random. The processes are the machine of lease.ts, and the store is the model
// of its script, which script.test.ts compares with the script itself.
// Run: pnpm check fleet (some minutes), or with processes, a depth and how many troubles: pnpm check fleet 2 9 2
import { seededRandom } from '@ebb/core/testing';
import { explore, walk } from './explore.ts';
import { type Most, mostOf } from './most.ts';
import { ANY_TROUBLE, newWorld } from './world.ts';

/** Processes, depth, and the most troubles. */
const ROWS = [
  [2, 12, 0],
  [2, 8, 2],
  [3, 7, 1],
] as const;

/** Processes, events, orders, and the most troubles. */
const WALKS = [
  [2, 100, 500, 0],
  [2, 100, 500, 6],
  [3, 100, 500, 0],
  [3, 100, 500, 6],
] as const;

const shown = (most: Most): string =>
  [...most]
    .sort()
    .map(([troubles, tokens]) => `${tokens.toFixed(2)} (${troubles})`)
    .join(', ');

const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1_000).toFixed(0)} s`;

const own = process.argv.slice(2).map(Number);
for (const [processes = 2, depth = 8, troubles = 0] of own.length > 0 ? [own] : ROWS) {
  const beganMs = performance.now();
  const { states, events, endings, endingEvents, longestMs, most } = explore(newWorld(processes), depth, {
    ...ANY_TROUBLE,
    all: troubles,
  });
  console.log(`${processes} processes, every order of ${depth} events, at most ${troubles} troubles:`);
  console.log(`  ${states} states by ${events} events; ${seconds(beganMs)}`);
  console.log(`  the most that was granted beyond rate · time, in capacities: ${shown(most)}`);
  console.log(`  from each of ${endings} states all are served, and share the bucket again, within`);
  console.log(`  ${(longestMs / 1_000).toFixed(1)} s (${endingEvents} events)`);
}
if (own.length === 0)
  for (const [processes, length, orders, troubles] of WALKS) {
    const beganMs = performance.now();
    const most = new Map<string, number>();
    for (let seed = 1; seed <= orders; seed += 1)
      mostOf(most, walk(newWorld(processes), length, { ...ANY_TROUBLE, all: troubles }, seededRandom(seed)));
    console.log(
      `${processes} processes, ${orders} orders of ${length} events, at most ${troubles} troubles: ${seconds(beganMs)}`,
    );
    console.log(`  the most that was granted beyond rate · time, in capacities: ${shown(most)}`);
  }
