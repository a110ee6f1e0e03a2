import { describe, expect, test } from 'vitest';
import { type ClosedLoop, halfFar, play } from '../test/closed-loop.ts';
import { type Phase, spendInTrouble, type TroubledFleet } from '../test/fleet-trouble.ts';

// What a fleet makes of its quota and of its store, in virtual time.

/** Fewer requests for some minutes, and then as many as possible without a store. */
function quiet(processes: number, seconds: number, apartMs = 0): TroubledFleet {
  const before: Phase = { lastsMs: apartMs > 0 ? 60_000 : 200_000, quietMs: seconds * 1_000 };
  return { processes, rate: 400, apartMs, phases: [before, { lastsMs: 20_000, health: 'refusing' }] };
}

const slow = (processes: number, roundTripMs: number): TroubledFleet => ({
  ...{ processes, rate: 400, askers: 16 },
  phases: [{ lastsMs: 5_000 }, { lastsMs: 30_000, roundTripMs }],
});

describe('the last phase spends of the rate', () => {
  test.each<[name: string, TroubledFleet, least: number, most: number]>([
    ['store lost, 8 processes, 1 request in 3 s', quiet(8, 3), 0.9, 1.1],
    ['store lost, 8 processes, 1 request in 10 s', quiet(8, 10), 0.9, 1.1],
    ['store lost, 8 processes, 1 request in 30 s', quiet(8, 30), 0.9, 1.1],
    ['store lost, 32 processes, 1 request in 10 s', quiet(32, 10), 0.9, 1.1],
    ['store lost, 32 processes, 1 request in 30 s', quiet(32, 30), 0.9, 1.1],
    ['store lost, 32 processes, 1 in 3 s, started 2.5 s apart', quiet(32, 3, 2_500), 0.9, 1.1],
    ['store lost, 32 processes, 1 in 10 s, started 2.5 s apart', quiet(32, 10, 2_500), 0.9, 1.1],
    ['store lost, 32 processes, 1 in 30 s, started 2.5 s apart', quiet(32, 30, 2_500), 0.9, 1.1],
    ['round trip 260 ms, 6 processes', slow(6, 260), 0.95, 1.05],
    ['round trip 260 ms, 32 processes', slow(32, 260), 0.95, 1.05],
    ['round trip 1 s, 6 processes', slow(6, 1_000), 0.95, 1.05],
    ['round trip 240 ms, 6 processes', slow(6, 240), 0.95, 1.05],
    ['round trip 246 ms, 6 processes', slow(6, 246), 0.95, 1.05],
    ['round trip 252 ms, 6 processes', slow(6, 252), 0.95, 1.05],
  ])('%s', async (_, fleet, least, most) => {
    const { shares, hanging } = await spendInTrouble(fleet);
    expect(shares.at(-1)).toBeGreaterThanOrEqual(least);
    expect(shares.at(-1)).toBeLessThanOrEqual(most);
    expect(hanging).toBe(0);
  });
});

const busy = { rate: 1_000, capacity: 200, costs: [1], askers: 16, seconds: 20 };
const few = [60, 2, 2, 2, 2, 2, 2, 2];

describe('far from its store a fleet spends of its quota', () => {
  test.each<[name: string, ClosedLoop, least: number]>([
    ['one process, 100 ms', { ...busy, processes: 1, latencyMs: 50 }, 0.95],
    ['one process, 200 ms', { ...busy, processes: 1, latencyMs: 100 }, 0.95],
    ['8 processes, 100 ms', { ...busy, processes: 8, latencyMs: 50 }, 0.95],
    ['8 processes, 200 ms', { ...busy, processes: 8, latencyMs: 100 }, 0.95],
    [
      'uneven: 7 of 8 processes have two callers that think',
      { ...busy, processes: 8, askers: few, thinkMs: few.map((askers) => (askers > 2 ? 0 : 100)) },
      0.98,
    ],
  ])('%s', async (_, load, least) => {
    const { share, excess, burst } = await play(load, 'shared');
    expect(share).toBeGreaterThanOrEqual(least);
    expect(excess).toBeLessThanOrEqual(0);
    expect(burst).toBeLessThanOrEqual(2);
  });

  test('each process the same part of it', async () => {
    const { parts } = await play({ ...busy, processes: 8, latencyMs: 50 }, 'shared');
    expect(parts[0]).toBeGreaterThanOrEqual(0.9);
    expect(parts[1]).toBeLessThanOrEqual(1.1);
  });

  test.each<[processes: number, roundTripMs: number, least: number]>([
    [4, 80, 0.47],
    [4, 150, 0.45],
    [4, 200, 0.43],
    [8, 80, 0.47],
    [8, 150, 0.45],
    [8, 200, 0.44],
  ])('half of them too: %i processes at 5,000/s, %i ms', async (processes, roundTripMs, least) => {
    const { secondHalf, share } = await play(halfFar(processes, 5_000, roundTripMs, 30), 'shared');
    expect(secondHalf).toBeGreaterThanOrEqual(least);
    expect(share).toBeGreaterThanOrEqual(0.99);
  });

  test.each([1, 8])('and waits little at 90 % of the rate (%i processes, 200 ms)', async (processes) => {
    const load = { ...busy, processes, latencyMs: 100, openLoad: 0.9, seconds: 30 };
    const { share, p50Ms } = await play(load, 'shared');
    expect(share).toBeGreaterThanOrEqual(0.88);
    expect(p50Ms).toBeLessThanOrEqual(20);
  });
});

describe('calls to the store per 1,000 grants', () => {
  const slowly = { ...busy, seconds: 60 };
  test.each<[name: string, ClosedLoop, most: number]>([
    ['8 processes, 2,000/s', { ...busy, rate: 2_000, capacity: 400, processes: 8 }, 150],
    ['… with 20 callers each', { ...busy, askers: 20, rate: 2_000, capacity: 400, processes: 8 }, 115],
    ['8 processes, 50/s', { ...slowly, rate: 50, capacity: 10, processes: 8 }, 1_020],
    ['4 processes, 5/s', { ...slowly, rate: 5, capacity: 1, processes: 4 }, 1_080],
    ['32 processes, costs 1 and 20', { ...busy, costs: [1, 20], processes: 32 }, 1_000],
    ['32 processes, costs 1 and 200', { ...slowly, costs: [1, 200], processes: 32 }, 1_420],
    ['8 processes at half load', { ...busy, processes: 8, openLoad: 0.5 }, 150],
    // In the first 10 s each asks for its share.
    ['500 processes', { ...busy, askers: 4, processes: 500, seconds: 10 }, 1_270],
  ])('%s', async (_, load, most) => {
    const { callsPerGrant, share } = await play(load, 'shared');
    expect(callsPerGrant * 1_000).toBeLessThanOrEqual(most);
    expect(share).toBeGreaterThanOrEqual(load.openLoad ?? 0.98);
  });
});
