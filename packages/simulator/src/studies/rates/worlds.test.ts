import { describe, expect, test } from 'vitest';
import { findIn } from './measures.ts';
import { RULES, shareKnown } from './rules.ts';
import type { MakeRate, World } from './world.ts';

const adaptive = RULES.adaptive as MakeRate;

type Row = Omit<World, 'durationMs'>;

const LOADS = ['closed', 0.9, 2] as const;

/** Worlds of so many clients in which the quota changes, and those in which half of the clients come late. */
function rows(clients: number, loads: readonly World['load'][], quota?: number, burst?: number): Row[] {
  return loads.flatMap((load) => [
    { clients, load, quota, burst, changes: true },
    ...(clients > 1 ? [{ clients, load, quota, burst, late: true }] : []),
  ]);
}

const WORLDS: readonly Row[] = [
  ...[1, 2, 10, 100].flatMap((clients) => rows(clients, LOADS)),
  ...[1, 2].flatMap((clients) => [10, 20].flatMap((burst) => rows(clients, LOADS, 10, burst))),
  ...[1, 2, 10].flatMap((clients) => [20, 100].flatMap((burst) => rows(clients, LOADS, 100, burst))),
  ...[1, 10, 100].flatMap((clients) =>
    [20, 1_000].flatMap((burst) => rows(clients, ['closed'], 1_000, burst)),
  ),
];

const isByChance = ({ late = false, quota = 1_000 }: Row): boolean => late && quota <= 100;

describe('clients that each know the whole quota find their shares', () => {
  test.each(WORLDS)('$clients clients, load $load, late $late, quota $quota, burst $burst', (world) => {
    const found = findIn(adaptive, world);
    expect(found.use).toBeGreaterThanOrEqual(0.95);
    expect(found.refused).toBeLessThanOrEqual(0.05);
    expect(found.refusedAtFirst).toBeLessThanOrEqual(0.2);
    if (!isByChance(world)) expect(found.jain).toBeGreaterThanOrEqual(0.9);
    expect(found.backAfterHalf ?? 0).toBeLessThanOrEqual(30);
    expect(found.backAfterDouble ?? 0).toBeLessThanOrEqual(30);
  });

  // A latecomer of ten requests per second meets some fifteen refusals in 30 s: their number differs by chance, and its share with it.
  test.each(WORLDS.filter(isByChance))(
    'late $clients clients, load $load, quota $quota, burst $burst: the mean of eight seeds',
    (world) => {
      const shares = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => findIn(adaptive, { ...world, seed }).jain);
      expect(shares.reduce((sum, jain) => sum + jain, 0) / shares.length).toBeGreaterThanOrEqual(0.9);
    },
  );
});

// Five percent of a request per second is a refusal in twenty seconds: too few to tell an equal share by in a minute.
describe('clients of one request per second', () => {
  test.each<Row>([
    { clients: 100, load: 'closed', quota: 100, changes: true },
    { clients: 100, load: 'closed', quota: 100, late: true },
    { clients: 10, load: 2, quota: 10, burst: 10, changes: true },
  ])('$clients clients, load $load, late $late: the quota is used, and shares are near', (world) => {
    const found = findIn(adaptive, world);
    expect(found.use).toBeGreaterThanOrEqual(0.95);
    expect(found.refused).toBeLessThanOrEqual(0.14);
    expect(found.jain).toBeGreaterThanOrEqual(0.75);
    expect(found.backAfterDouble ?? 0).toBeLessThanOrEqual(30);
  });
});

describe('a server with one token', () => {
  test.each<Row>([
    { clients: 1, load: 'closed', quota: 100, burst: 1 },
    { clients: 10, load: 'closed', quota: 1_000, burst: 1 },
  ])('refuses what comes too soon, even of clients that know their share: $clients', (world) => {
    const found = findIn(shareKnown, world);
    expect(found.use).toBeLessThan(0.7);
    expect(found.refused).toBeGreaterThan(0.3);
    expect(findIn(adaptive, world).refused).toBeLessThanOrEqual(0.06);
  });
});
