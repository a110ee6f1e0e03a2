import { describe, expect, test } from 'vitest';
import { findIn } from './measures.ts';
import { RULES } from './rules.ts';
import type { MakeRate, World } from './world.ts';

const adaptive = RULES.adaptive as MakeRate;

const WORLDS = ([1, 2, 10, 100] as const).flatMap((clients) =>
  (['closed', 0.9, 2] as const).flatMap((load) => [
    { clients, load, changes: true },
    ...(clients > 1 ? [{ clients, load, late: true }] : []),
  ]),
);

describe('clients that each know the whole quota find their shares', () => {
  test.each<Omit<World, 'durationMs'>>(WORLDS)('$clients clients, load $load, late $late', (world) => {
    const found = findIn(adaptive, world);
    expect(found.use).toBeGreaterThanOrEqual(0.95);
    expect(found.refused).toBeLessThanOrEqual(0.05);
    expect(found.refusedAtFirst).toBeLessThanOrEqual(0.2);
    expect(found.jain).toBeGreaterThanOrEqual(0.9);
    expect(found.backAfterHalf ?? 0).toBeLessThanOrEqual(30);
    expect(found.backAfterDouble ?? 0).toBeLessThanOrEqual(30);
  });
});
