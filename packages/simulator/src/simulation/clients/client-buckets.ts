import type { Grant, MemoryBucket, Outcome } from '@ebb/core';
import { type BucketSetup, bucketSetup, gcra, type NonConforming } from '@ebb/core/bucket';
import type { Environment } from '../../scenario/client-options.ts';
import type { NamedBucket } from '../../scenario/fleet-policy.ts';
import { makeBucket } from '../../scenario/named-options.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** The tokens of every client of a fleet. */
export interface ClientTokens {
  take(client: number, cost: number, nowMs: number): boolean;
  /** How long until so many have come in; 0 when they can be taken now. */
  waitMs(client: number, cost: number, nowMs: number): number;
  /** Tells what became of an attempt that had tokens at a moment, after a wait. */
  observe(client: number, outcome: Outcome, grantedAtMs: number, waitedMs: number): void;
}

/** Buckets that ignore feedback: one number for each client. */
function numbers(clients: number, setup: BucketSetup): ClientTokens {
  const emptyAtMs = new Float64Array(clients).fill(gcra.holding(setup, setup.initialTokens, 0));
  return {
    take(client, cost, nowMs) {
      const after = gcra.take(setup, emptyAtMs[client] as number, cost, nowMs);
      if (after === undefined) return false;
      emptyAtMs[client] = after;
      return true;
    },
    waitMs: (client, cost, nowMs) => gcra.waitMs(setup, emptyAtMs[client] as number, cost, nowMs),
    observe() {},
  };
}

/** Buckets of core itself, which follow what the server says, and may adapt their rate. */
function buckets(clients: number, make: () => MemoryBucket): ClientTokens {
  const all = Array.from({ length: clients }, make);
  return {
    take: (client, cost) => (all[client] as MemoryBucket).tryAcquire(cost) !== undefined,
    waitMs: (client, cost) => (all[client] as MemoryBucket).waitMs(cost),
    observe(client, outcome, grantedAtMs, waitedMs) {
      const grant: Grant = { cost: 1, waitedMs, grantedAtMs, conforming: true, settle() {} };
      (all[client] as MemoryBucket).observe?.(outcome, grant);
    },
  };
}

/** What a line for tokens goes by. */
export interface LineRules {
  readonly nonConforming: NonConforming;
  readonly maxQueue: number;
  readonly maxWaitMs: number;
  /** How much longer a new request must have waited to go before a retry. */
  readonly headStartMs: number;
}

/** The buckets of a fleet, and the rules of the lines before them. */
export interface ClientBuckets {
  readonly rules: LineRules;
  readonly tokens: ClientTokens;
}

/** A bucket for each client, as a scenario names it. */
export function clientBuckets(bucket: NamedBucket, clients: number, environment: Environment): ClientBuckets {
  const options = 'adaptive' in bucket ? bucket.adaptive : bucket.tokenBucket;
  const { nonConforming = 'delay', maxQueue = NEVER, maxWaitMs = NEVER, agingMs = 60_000 } = options;
  // A retry is worth half a step of priority.
  const rules: LineRules = { nonConforming, maxQueue, maxWaitMs, headStartMs: agingMs / 2 };
  if ('tokenBucket' in bucket && options.feedback === false) {
    return { rules, tokens: numbers(clients, bucketSetup({ ...options, ...environment })) };
  }
  // The lines are the simulation's: the buckets themselves are only asked for what is there.
  const asked =
    'adaptive' in bucket
      ? { adaptive: { ...options, nonConforming: 'delay' as const } }
      : { tokenBucket: { ...options, nonConforming: 'delay' as const } };
  return { rules, tokens: buckets(clients, () => makeBucket(asked, environment)) };
}
