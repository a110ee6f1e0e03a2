import { describe, expect, test } from 'vitest';
import { BACKOFFS } from './backoffs.ts';
import { OUTSIDE } from './outside.ts';
import { PARTS, type PartsWorld, partsResult, runParts, TENANTS } from './parts.ts';
import { runVaried, type VariedWorld, variedResult } from './variety.ts';

const named = (all: readonly VariedWorld[], name: string): VariedWorld =>
  all.find((one) => one.name === name) as VariedWorld;

test('worlds have names of their own', () => {
  for (const all of [OUTSIDE, BACKOFFS]) {
    const names = all.map(({ kind, name }) => `${kind} ${name}`);
    expect(new Set(names).size).toBe(names.length);
  }
  expect(OUTSIDE).toHaveLength(4 * 20);
  expect(BACKOFFS).toHaveLength(8 * 36);
  expect([PARTS.length, TENANTS.length]).toEqual([3 * 3 * 13, 20]);
});

test('a day and a burst have the load that they are named for', () => {
  const factorsOf = (name: string): number[] => {
    const { clients } = named(OUTSIDE, name).scenario;
    return 'surges' in clients ? (clients.surges ?? []).map(({ factor }) => factor) : [];
  };
  const day = factorsOf('a day, load 0.3 to 1.3, 12');
  expect([Math.min(...day), Math.max(...day)]).toEqual([expect.closeTo(0.3, 1), expect.closeTo(1.3, 1)]);
  expect(Math.max(...factorsOf('bursts of ten times, 12'))).toBe(10);
});

describe('a table', () => {
  const of = (world: string, seed: number, scheme: string, percent: number, p99 = 1_000) =>
    ({ kind: 'kind', world, seed, scheme, percent, p99 }) as const;

  test('compares the same world with the same seed, and shows the worst', () => {
    const [none, budget, own] = ['No retries', 'retryBudget()', 'adaptiveThrottle()'];
    const { table } = variedResult([
      ...[of('a', 1, none, 50), of('a', 2, none, 90), of('b', 1, none, 70), of('b', 2, none, 70)],
      ...[of('a', 1, budget, 40), of('a', 2, budget, 90), of('b', 1, budget, 70), of('b', 2, budget, 70)],
      ...[of('a', 1, own, 90), of('a', 2, own, 88, 9_000), of('b', 1, own, 69), of('b', 2, own, 66)],
    ]);
    const row = ['70 %', '68 %', '78 %', '−10', '−4.0', '50 %', '75 %', '3.0 s'];
    expect(table.rows.map((cells) => cells.map((cell) => cell.replace('\u00a0', ' ')))).toEqual([
      ['kind', ...row],
      ['all', ...row],
    ]);
  });
});

test('a heavy tail is that of the world: a Pareto service answers less at 0.95 of its load than a constant one', () => {
  const world = named(OUTSIDE, 'Pareto, load .8, 100');
  const steady = {
    ...world,
    name: 'steady',
    scenario: { ...world.scenario, server: { ...world.scenario.server } },
  };
  Object.assign(steady.scenario.server, { serviceSpread: 'constant' });
  const percents = runVaried([world, steady], [1])
    .filter(({ scheme }) => scheme === 'No retries')
    .map(({ percent }) => percent);
  expect(percents[0]).toBeLessThan(percents[1] ?? 0);
});

test('half to a dead part: a class for each path answers all calls to the other, one class does not', () => {
  const worlds = PARTS.filter(({ kind, scenario }) => {
    const { clients } = scenario;
    return kind === '50 % to a part with 503' && clients.count === 12 && 'surges' in clients === false;
  }).slice(1, 2) as PartsWorld[];
  const runs = runParts(worlds, [1]);
  const goodOf = (name: string): number =>
    runs.find(({ scheme }) => scheme === name)?.goodPercent ?? Number.NaN;
  expect(goodOf('a class for each path')).toBeGreaterThan(99.5);
  expect(goodOf('one class')).toBeLessThan(97);
  expect(partsResult(runs).table.rows).toHaveLength(1);
});
