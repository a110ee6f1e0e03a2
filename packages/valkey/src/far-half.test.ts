import { describe, expect, test } from 'vitest';
import { halfFar, play } from '../test/closed-loop.ts';

const isLong = process.env.EBB_LONG === '1';
/** Rates and processes. */
const FLEETS = isLong
  ? [
      [200, 4],
      [200, 8],
      [1_000, 4],
      [1_000, 8],
    ]
  : [[200, 8]];

describe('the far half of a busy fleet gets of what is spent', () => {
  test.each<[roundTripMs: number, least: number]>([
    [80, 0.46],
    [150, 0.45],
    [200, 0.44],
  ])('%i ms: %f', async (roundTripMs, least) => {
    for (const [rate = 0, processes = 0] of FLEETS) {
      // The first seconds, in which it learns how much to lease, count too.
      const { secondHalf, share, excess, burst } = await play(
        halfFar(processes, rate, roundTripMs, 20),
        'shared',
      );
      expect(secondHalf).toBeGreaterThanOrEqual(least);
      expect(secondHalf).toBeLessThanOrEqual(0.51);
      expect(share).toBeGreaterThanOrEqual(0.99);
      expect(excess).toBeLessThanOrEqual(0);
      expect(burst).toBeLessThanOrEqual(1.1);
    }
  });

  test.each([
    ['one of eight is far', [0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 75]],
    ['all but one', [0.25, 75, 75, 75, 75, 75, 75, 75]],
    ['at four distances', [0.25, 0.25, 10, 10, 40, 75, 75, 100]],
  ])('and each process about the same (%s)', async (_, latencyMs) => {
    const { parts } = await play({ ...halfFar(8, 1_000, 0, 30), latencyMs }, 'shared');
    expect(parts[0]).toBeGreaterThanOrEqual(0.9);
    expect(parts[1]).toBeLessThanOrEqual(1.3);
  });
});

test.each<[roundTripMs: number, least: number]>([
  [80, 0.98],
  [150, 0.98],
  [200, 0.97],
])('a far half that needs little leases little (%i ms: %f is used)', async (roundTripMs, least) => {
  const mixes = [
    [2, 100],
    [4, 50],
    [8, 500],
  ] as const;
  for (const [few, thinks] of mixes.slice(isLong ? 0 : 1, isLong ? 3 : 2)) {
    const fleet = halfFar(8, 1_000, roundTripMs, 20);
    const byHalf = (near: number, far: number): number[] => [near, near, near, near, far, far, far, far];
    const { share } = await play({ ...fleet, askers: byHalf(60, few), thinkMs: byHalf(0, thinks) }, 'shared');
    expect(share).toBeGreaterThanOrEqual(least);
  }
});

test.each([150, 300])(
  'half of a fleet is far, at 0 to twice %i ms: it charges what it spends',
  async (roundTripMs) => {
    const { share, burst } = await play(
      { ...halfFar(8, 1_000, roundTripMs, 30), askers: 16, jitter: true },
      'shared',
    );
    expect(share).toBeGreaterThanOrEqual(0.98);
    expect(share).toBeLessThanOrEqual(1.02);
    // A charge comes after the next attempt only.
    expect(burst).toBeLessThanOrEqual(3.5);
  },
);
