import { describe, expect, test } from 'vitest';
import { playStart, type Start, type StartUse } from '../test/starts.ts';

// What a fleet spends if its store is lost while its processes do not know each other yet, in virtual time.

interface Played {
  readonly start: Start;
  readonly use: StartUse;
}

async function play(starts: readonly Start[]): Promise<Played[]> {
  const played: Played[] = [];
  for (const start of starts) played.push({ start, use: await playStart(start) });
  return played;
}

/** The start with the least of something, which a failing test names. */
function leastOf(played: readonly Played[], what: (use: StartUse) => number): [number, string] {
  const sorted = played.toSorted((one, other) => what(one.use) - what(other.use));
  const { start, use } = sorted[0] as Played;
  return [what(use), JSON.stringify(start)];
}

/** Every combination. */
const starts = (roundTripsMs: number[], lostAfterMs: number[], processes: number[]): Start[] =>
  [0, 2].flatMap((older) =>
    roundTripsMs.flatMap((roundTripMs) =>
      processes.flatMap((count) =>
        [0, 500, 5_000].flatMap((spreadMs) =>
          lostAfterMs.map((after) => {
            return { processes: count, spreadMs, lostAfterMs: after, roundTripMs, older };
          }),
        ),
      ),
    ),
  );

describe('without its store a young fleet spends', () => {
  test('at most 110 % of the rate and two capacities, in 240 starts', async () => {
    const played = await play(starts([0.5, 20, 200, 1_000], [20, 1_000], [1, 4, 16, 32, 64]));
    expect(played.length).toBe(240);
    const [used, start] = leastOf(played, ({ used }) => -used);
    expect(-used, start).toBeLessThanOrEqual(1.1);
    const [beyond, of] = leastOf(played, ({ beyond }) => -beyond);
    expect(-beyond, of).toBeLessThanOrEqual(2);
  }, 400_000);

  test('at least 40 % of the rate from 50 ms after the start on', async () => {
    const played = await play(starts([0.5, 20], [50, 300, 500, 2_000], [1, 4, 32]));
    const [used, start] = leastOf(played, ({ used }) => used);
    expect(used, start).toBeGreaterThanOrEqual(0.4);
  }, 300_000);
});

const near = { roundTripMs: 0.5, spreadMs: 0 };

test.each<[name: string, start: Start, least: number, most: number]>([
  ['one process alone, within a second', { ...near, processes: 1, lostAfterMs: 150 }, 0.5, 0.56],
  ['one process alone, later', { ...near, processes: 1, lostAfterMs: 1_000 }, 0.95, 1.02],
  [
    '8 are killed and 8 start, 20 s before',
    { ...near, processes: 8, killed: 8, lostAfterMs: 20_000 },
    0.85,
    1.1,
  ],
  [
    '8 of 16 are killed, a minute before: the others are quiet, and do not take up all that is free',
    { ...near, processes: 8, killed: 8, older: 8, lostAfterMs: 60_000 },
    0.7,
    1.1,
  ],
  [
    'the key is lost twice in 300 ms',
    { ...near, processes: 8, spreadMs: 500, losesAtMs: [100, 400], lostAfterMs: 300 },
    0.35,
    1.1,
  ],
  ['32 are expected', { ...near, processes: 32, expected: 32, lostAfterMs: 50 }, 0.9, 1.1],
  [
    '64 are expected, 200 ms away',
    { roundTripMs: 200, spreadMs: 5_000, processes: 64, expected: 64, lostAfterMs: 500 },
    0.8,
    1.1,
  ],
])('%s', async (_, start, least, most) => {
  const { used, beyond } = await playStart(start);
  expect(used).toBeGreaterThanOrEqual(least);
  expect(used).toBeLessThanOrEqual(most);
  expect(beyond).toBeLessThanOrEqual(2);
});
