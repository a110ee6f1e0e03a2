import { describe, expect, test } from 'vitest';
import { COLOURS, type Colour } from '../../chart/palette.ts';
import { BACKOFFS } from './backoffs.ts';
import { LONGER, OUTSIDE } from './outside.ts';
import { outsideFigure } from './outside-figure.ts';
import { PARTS, type PartsWorld, partsResult, runParts, TENANTS } from './parts.ts';
import { type VariedRun, type VariedWorld, variedResult, variedStudy } from './variety.ts';

const named = (all: readonly VariedWorld[], name: string): VariedWorld =>
  all.find((one) => one.name === name) as VariedWorld;

test('worlds have names of their own', () => {
  for (const all of [OUTSIDE, BACKOFFS]) {
    const names = all.map(({ kind, name }) => `${kind} ${name}`);
    expect(new Set(names).size).toBe(names.length);
  }
  expect(OUTSIDE).toHaveLength(2 * 6 * 20);
  expect(BACKOFFS).toHaveLength(8 * 36);
  expect([PARTS.length, TENANTS.length]).toEqual([3 * 3 * 13, 20]);
});

test('a day and a burst have the load that they are named for', () => {
  const factorsOf = (name: string): number[] => {
    const { clients } = named(OUTSIDE, name).scenario;
    return 'surges' in clients ? (clients.surges ?? []).map(({ factor }) => factor) : [];
  };
  const day = factorsOf('a day, load 0.3 to 1.3, 12 × 150/s');
  expect([Math.min(...day), Math.max(...day)]).toEqual([expect.closeTo(0.3, 1), expect.closeTo(1.3, 1)]);
  expect(Math.max(...factorsOf('bursts of ten times, 12 × 150/s'))).toBe(10);
});

describe('a table', () => {
  const [none, budget, own] = ['No retries', 'retryBudget()', 'adaptiveThrottle()'];
  const of = (world: string, seed: number, scheme: string, percent: number, p99 = 1_000) =>
    ({ kind: 'kind', world, seed, scheme, percent, p99 }) as const;
  const runs = [
    ...[of('a', 1, none, 50), of('a', 2, none, 90), of('b', 1, none, 70), of('b', 2, none, 70)],
    ...[of('a', 1, budget, 40), of('a', 2, budget, 90), of('b', 1, budget, 70), of('b', 2, budget, 70)],
    ...[of('a', 1, own, 90), of('a', 2, own, 88, 9_000), of('b', 1, own, 71), of('b', 2, own, 69)],
  ];
  const rowsOf = (all: Parameters<typeof variedResult>[0]): string[][] =>
    variedResult(all).table.rows.map((cells) => cells.map((cell) => cell.replace('\u00a0', ' ')));

  test('compares the same world with the same seed, shows the worst, and names the worlds that are worse by over a point', () => {
    const row = ['70 %', '68 %', '80 %', '−10', '−2.0', '50 %', '100 %', '3.0 s'];
    expect(rowsOf(runs)).toEqual([
      ['kind', ...row],
      ['all', ...row],
      ['kind, a', '70 %', '65 %', '89 %', '−10', '−2.0', '0.0 %', '100 %', '5.0 s'],
    ]);
  });

  test('shows what is to be done where the throttle is worse, and says nothing of the other worlds', () => {
    const remedy = { name: 'longer', policyOf: (policy: object) => policy };
    const cured = [of('a', 1, 'longer', 60), of('a', 2, 'longer', 91)];
    const { table } = variedResult([...runs, ...cured], { remedy });
    expect(table.columns.at(-1)).toBe('longer');
    expect(table.rows.map((cells) => cells.at(-1))).toEqual(['+1.0', '+1.0', '+1.0']);
    expect(variedResult(runs, { remedy }).table.rows.at(-1)?.at(-1)).toBe('');
  });

  test('names the worst world first', () => {
    const worse = [...runs, of('c', 1, none, 50), of('c', 1, budget, 50), of('c', 1, own, 45)];
    expect(rowsOf(worse).map(([name]) => name)).toEqual(['kind', 'all', 'kind, c', 'kind, a']);
  });

  test('keeps apart worlds of the same name', () => {
    const other = [none, budget, own].map((scheme) => ({ ...of('a', 2, scheme, 10), kind: 'other' }));
    expect(rowsOf([...runs, ...other]).map(([name, , , , , worst]) => [name, worst])).toEqual([
      ['kind', '−2.0'],
      ['other', '0'],
      ['all', '−2.0'],
      ['kind, a', '−2.0'],
    ]);
  });
});

describe('the figure of the services outside the grid', () => {
  const kinds = [...new Set(OUTSIDE.map(({ kind }) => kind))];
  /** Runs in which the throttle answers so many points more in each world: those of the worlds named, else 5. */
  const svgOf = (points: Readonly<Record<string, number>>): string =>
    outsideFigure(
      OUTSIDE.flatMap(({ kind, name }) => {
        const own = 50 + (points[name] ?? 5);
        return [['No retries', 50] as const, ['adaptiveThrottle()', own] as const].map(
          ([scheme, percent]) => ({ kind, world: name, seed: 1, scheme, percent, p99: 0 }),
        );
      }),
    );

  test('has a cell for each world, and fills those that are over a point worse', () => {
    const svg = svgOf({
      'bursts of ten times, 2,500 × 150/s': -11,
      'a day, load 0.3 to 1.3, 1 × 50/s': -1.1,
      'Pareto: refusals, 12 × 150/s': -1,
    });
    expect(svg.match(/<rect /g)).toHaveLength(OUTSIDE.length);
    const inColour = (colour: Colour): RegExp => new RegExp(`<rect [^>]*stroke="${COLOURS[colour]}"`, 'g');
    expect(svg.match(/<rect [^>]*fill="#/g)).toHaveLength(2);
    expect(svg.match(inColour('red'))).toHaveLength(2);
    expect(svg.match(inColour('grey'))).toHaveLength(1);
    expect(svg.match(inColour('green'))).toHaveLength(OUTSIDE.length - 3);
    expect(svg).toContain(
      `aria-label="In ${OUTSIDE.length - 2} of ${OUTSIDE.length} services outside the grid`,
    );
    expect(svg).toContain('150/s 1: +5; 12: +5; 50: +5; 100: +5; 500: +5; 2,500: −11, filled');
    for (const kind of kinds) expect(svg).toContain(`${kind}. Clients, 50/s 1: `);
  });

  test('says no finding that it does not show', () => {
    const bad = Object.fromEntries(OUTSIDE.map(({ name }) => [name, -2]));
    expect(svgOf(bad)).toContain('aria-label="What adaptiveThrottle() answers beside no retries in services');
  });
});

describe('a remedy', () => {
  test('of the services outside the grid is a timeout four times as long', () => {
    expect(LONGER.policyOf({ attemptTimeoutMs: 250, maxRetries: 2 })).toEqual({
      attemptTimeoutMs: 1_000,
      maxRetries: 2,
    });
  });

  test('is played in the worlds that are worse, and in no others of their kind', () => {
    const names = ['Pareto: refusals, 2,500 × 50/s', 'Pareto: refusals, 1 × 50/s'];
    const worlds = names.map((name) => named(OUTSIDE, name));
    const { data, table } = variedStudy('', '', worlds, { remedy: LONGER }).run();
    const cured = (data as VariedRun[]).filter(({ scheme }) => scheme === LONGER.name);
    expect(cured.map(({ world, seed }) => [world, seed])).toEqual([
      [names[0], 1],
      [names[0], 2],
    ]);
    expect(table.rows.map((cells) => cells.at(-1))).toEqual(['+1.3', '+1.3', '+1.3']);
  });
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
