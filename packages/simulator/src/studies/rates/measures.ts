import {
  type Counts,
  DOUBLES_MS,
  HALVES_MS,
  LATE_MS,
  type MakeRate,
  QUOTA,
  runWorld,
  type World,
} from './world.ts';

/** The results of a world. Shares are from 0 to 1, times in seconds. */
export interface RateResult {
  /** The served requests in the steady state, as a share of the quota or, if less, of the demand. */
  readonly use: number;
  /**
   * The refused part of all requests that reached the server: in the steady state, and in 10 s from the start or from the late start of
   * half the clients.
   */
  readonly refused: number;
  readonly refusedAtFirst: number;
  /** Jain's index of the served requests of each client in the steady state: 1 if all got the same. */
  readonly jain: number;
  /** Jain's index of every 5 s, on the mean. */
  readonly jainOf5: number;
  /** From a change of the quota until 95 % of it are used and at most 5 % refused, on the mean of 5 s; `Infinity` for never. */
  readonly backAfterHalf: number | undefined;
  readonly backAfterDouble: number | undefined;
}

const SECOND = 1_000;

function sum(values: Float64Array, from: number, until: number): number {
  return values.subarray(from, until).reduce((all, value) => all + value, 0);
}

/** The refused share of the requests that reached the server. */
function refusedShare({ served, refused }: Counts, from: number, until: number): number {
  const no = sum(refused, from, until);
  return no / Math.max(1, no + sum(served, from, until));
}

function usedShare({ served }: Counts, world: World, quota: number, from: number, until: number): number {
  const asked = world.load === 'closed' ? Number.POSITIVE_INFINITY : world.load * (world.quota ?? QUOTA);
  return sum(served, from, until) / (until - from) / Math.min(quota, asked);
}

function jainOf({ each }: Counts, from: number, until: number): number {
  const parts = each.map((served) => sum(served, from, until));
  const all = parts.reduce((total, part) => total + part, 0);
  return all ** 2 / (parts.length * parts.reduce((total, part) => total + part ** 2, 0));
}

function shortJainOf(counts: Counts, from: number, until: number): number {
  let all = 0;
  for (let second = from; second < until; second += 5) all += jainOf(counts, second, second + 5);
  return (all * 5) / (until - from);
}

function back(counts: Counts, world: World, quota: number, fromMs: number): number {
  const [from, until] = [fromMs / SECOND, (fromMs + 60_000) / SECOND];
  for (let second = from; second <= until - 5; second += 1) {
    const isUsed = usedShare(counts, world, quota, second, second + 5) >= 0.95;
    if (isUsed && refusedShare(counts, second, second + 5) <= 0.05) return second - from;
  }
  return Number.POSITIVE_INFINITY;
}

/** Runs a world with one rule for all clients. */
export function findIn(make: MakeRate, world: Omit<World, 'durationMs'>): RateResult {
  const { late = false, changes = false, quota = QUOTA } = world;
  const steady: readonly [number, number] = late ? [60, 120] : [30, 90];
  const first = late ? LATE_MS / SECOND : 0;
  const all = { ...world, durationMs: changes ? 210_000 : steady[1] * SECOND };
  const counts = runWorld(make, all);
  return {
    use: usedShare(counts, all, quota, ...steady),
    refused: refusedShare(counts, ...steady),
    refusedAtFirst: refusedShare(counts, first, first + 10),
    jain: jainOf(counts, ...steady),
    jainOf5: shortJainOf(counts, ...steady),
    backAfterHalf: changes ? back(counts, all, quota / 2, HALVES_MS) : undefined,
    backAfterDouble: changes ? back(counts, all, quota, DOUBLES_MS) : undefined,
  };
}
