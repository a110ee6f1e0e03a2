import type { Random } from '@ebb/core';
import { DRAWS } from '@ebb/testing/faults';
import type { UnitsLimit } from '../../scenario/server-options.ts';
import { TokenQuota } from '../token-quota.ts';
import type { JobCosts } from './job-costs.ts';
import type { ServerGate } from './server-bucket.ts';

/** A unit of the limit. */
interface Unit {
  readonly name: string;
  readonly quota: TokenQuota;
  state: number;
  /** The least tokens for a request to be served, and its cost on arrival. */
  readonly least: number;
  readonly atOnce: number;
  /** Cost charged on answer; `undefined` if charged on arrival. */
  readonly draw: ((random: Random) => number) | undefined;
}

function unitOf(name: string, { limits, spends }: UnitsLimit): Unit {
  const limit = limits[name] as UnitsLimit['limits'][string];
  const quota = new TokenQuota(limit);
  const state = quota.holding(limit.capacity, 0);
  const cost = spends[name] as UnitsLimit['spends'][string];
  const { mean, spread } = typeof cost === 'number' ? { mean: cost, spread: 'constant' as const } : cost;
  if (spread === 'constant') return { name, quota, state, least: mean, atOnce: mean, draw: undefined };
  const draw = (random: Random): number => DRAWS[spread](mean, random);
  return { name, quota, state, least: Math.min(1, limit.capacity), atOnce: 0, draw };
}

/** The token buckets of several units in front of a server. They start full. */
export class ServerQuotas implements ServerGate {
  readonly #units: readonly Unit[];
  readonly #retryAfter: boolean;
  readonly #random: Random;
  readonly #spent: JobCosts;

  constructor(limit: UnitsLimit, random: Random, spent: JobCosts) {
    this.#units = Object.keys(limit.limits).map((name) => unitOf(name, limit));
    this.#retryAfter = limit.retryAfter ?? true;
    this.#random = random;
    this.#spent = spent;
  }

  #waitMs(nowMs: number): number {
    const waits = this.#units.map(({ quota, state, least }) => quota.waitMs(state, least, nowMs));
    return Math.max(...waits);
  }

  take(nowMs: number): boolean {
    if (this.#waitMs(nowMs) > 0) return false;
    for (const unit of this.#units) unit.state = unit.quota.spend(unit.state, unit.atOnce, nowMs);
    return true;
  }

  retryAfterSeconds(nowMs: number): number | undefined {
    return this.#retryAfter ? Math.ceil(this.#waitMs(nowMs) / 1_000) : undefined;
  }

  served(job: number, stamp: number, nowMs: number): void {
    const costs: Record<string, number> = {};
    for (const unit of this.#units) {
      const drawn = unit.draw?.(this.#random) ?? 0;
      unit.state = unit.quota.spend(unit.state, drawn, nowMs);
      costs[unit.name] = unit.atOnce + drawn;
    }
    this.#spent.put(job, stamp, costs);
  }
}
