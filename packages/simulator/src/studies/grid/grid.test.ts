import { describe, expect, test } from 'vitest';
import { csvText } from '../table.ts';
import { gainOf, leadOf } from './gains.ts';
import { gridResult } from './grid-study.ts';
import { linesOf, runsIn, runWorlds, type WorldRuns } from './runs.ts';
import { SCHEMES } from './schemes.ts';
import { CLIENTS, RATES, SERVICES_MS, SMALL, scenarioOf, TROUBLES, WORLDS } from './worlds.ts';

const NAMES = Object.keys(SCHEMES);

function worldOf(clients: number, percents: WorldRuns['percents']): WorldRuns {
  return { world: { trouble: 'load .8', clients, requestsPerSecond: 50, serviceMs: 20 }, percents };
}

/** Percentages of one world in two seeds: no retries, default, budget, throttle, both, SRE, AWS. */
function madeOf(clients: number, ...seeds: readonly (readonly number[])[]): WorldRuns {
  return worldOf(
    clients,
    Object.fromEntries(NAMES.map((name, at) => [name, seeds.map((seed) => seed[at] as number)])),
  );
}

describe('how schemes compare', () => {
  // With the second seed the throttle answers 3 points less than no retries, though its lowest number is above theirs.
  const one = madeOf(1, [50, 20, 60, 70, 70, 50, 50], [90, 20, 60, 87, 95, 50, 88]);
  const two = madeOf(12, [50, 20, 60, 49, 50, 50, 50], [50, 20, 60, 57, 50, 50, 50]);

  test('the same seed is compared with the same seed, and the worst one counts', () => {
    expect(gainOf(one, 'adaptiveThrottle()')).toBe(-3);
    expect(gainOf(two, 'adaptiveThrottle()')).toBe(-1);
    expect(gainOf(two, 'No retries')).toBe(0);
  });

  test('with several others the best of each seed counts', () => {
    expect(leadOf(two, 'adaptiveThrottle()', ['Default', 'retryBudget()'])).toBe(-11);
    expect(leadOf(one, 'adaptiveThrottle()', NAMES)).toBe(-8);
    expect(leadOf(one, 'Both', NAMES)).toBe(0);
  });

  test('the table rounds shares of worlds down: all is all', () => {
    const many = Array.from({ length: 1_999 }, () => two);
    const shares = (all: readonly WorldRuns[]): string | undefined =>
      gridResult(all).table.rows.find(([name]) => name === 'worlds ≥ no retries − 1')?.[4];
    expect(shares([...many, one])).toBe('99.9\u00a0%');
    expect(shares(many)).toBe('100.0\u00a0%');
  });
});

test('the grid is whole: each mix once, and in the small one a third of them, each pair of values the same number of times', () => {
  const mixes = CLIENTS.length * RATES.length * SERVICES_MS.length * Object.keys(TROUBLES).length;
  expect(new Set(WORLDS.map((world) => JSON.stringify(world))).size).toBe(mixes);
  expect(SMALL).toHaveLength(mixes / SERVICES_MS.length);
  const pairs = new Map<string, number>();
  for (const { requestsPerSecond, serviceMs, clients, trouble } of SMALL) {
    for (const other of [requestsPerSecond, `${clients} clients`, trouble]) {
      const pair = `${other}, ${serviceMs} ms`;
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
  }
  for (const [pair, count] of pairs) expect(count, pair).toBe(SMALL.length / (3 * sizeOf(pair)));

  function sizeOf(pair: string): number {
    if (pair.includes('clients')) return CLIENTS.length;
    return /^\d/.test(pair) ? RATES.length : Object.keys(TROUBLES).length;
  }
});

test.each(
  WORLDS.filter(({ clients }) => clients === 1).map((world) => [JSON.stringify(world), world] as const),
)('%s: two workers at least, and the load of its trouble', (_, world) => {
  const { workers = 0, serviceMs = 0 } = scenarioOf(world).server;
  expect(workers).toBeGreaterThanOrEqual(2);
  const load = TROUBLES[world.trouble]?.load ?? 0.75;
  expect((world.requestsPerSecond * serviceMs) / (1_000 * workers)).toBeCloseTo(load);
});

describe('a few worlds', () => {
  const worlds = WORLDS.filter(
    ({ clients, requestsPerSecond, serviceMs }) =>
      clients === 12 && requestsPerSecond === 50 && serviceMs === 200,
  );
  const shares: number[] = [];
  const all = runWorlds(worlds, SCHEMES, [1], (share) => shares.push(share));

  test('each trouble is one: a default retries itself to death, and hardly a scheme loses at a load of .8', () => {
    const percent = (trouble: string, name: string): number =>
      all.find(({ world }) => world.trouble === trouble)?.percents[name]?.[0] ?? Number.NaN;
    for (const name of NAMES) expect(percent('load .8', name), name).toBeGreaterThan(95);
    for (const trouble of Object.keys(TROUBLES)) {
      if (trouble.startsWith('load')) continue;
      expect(percent(trouble, 'Default'), trouble).toBeLessThan(percent(trouble, 'No retries') - 20);
    }
    expect(shares.at(-1)).toBe(1);
    // In tenths.
    const found = all.flatMap(({ percents }) => Object.values(percents).flat());
    expect(found.every((value) => value === Number(value.toFixed(1)))).toBe(true);
    expect(found.every(Number.isInteger)).toBe(false);
  });

  test('runs are read as they were written', () => {
    const { columns, rows } = linesOf(all);
    expect(rows).toHaveLength(worlds.length * NAMES.length);
    expect(columns.at(-1)).toBe('seed_1');
    expect(runsIn(csvText(columns, rows))).toEqual(all);
  });
});
