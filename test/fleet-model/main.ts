// Plays every order of events of a small fleet: calls, replies, lost calls and replies, a store that loses its key or whose clock is set,
// and processes that end. The processes are the machine of lease.ts, and the store is the model of its script, which script.test.ts
// compares with the script itself.
// Run: pnpm check fleet (some minutes), or with processes, a depth and how many troubles: pnpm check fleet 2 9 2
import { explore } from './explore.ts';
import { ANY_TROUBLE, newWorld } from './world.ts';

/** Processes, depth, and the most troubles. */
const ROWS = [
  [2, 12, 0],
  [2, 8, 2],
  [3, 7, 1],
] as const;

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
  console.log(`  the most that was granted beyond rate · time, in capacities: ${most.toFixed(2)}`);
  console.log(`  from each of ${endings} states all are served, and share the bucket again, within`);
  console.log(`  ${(longestMs / 1_000).toFixed(1)} s (${endingEvents} events)`);
}
