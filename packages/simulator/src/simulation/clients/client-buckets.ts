import type { Grant, MemoryBucket, Outcome } from '@ebb/core';
import { type BucketSetup, bucketSetup, type NonConforming } from '@ebb/core/bucket';
import type { Environment } from '../../scenario/client-options.ts';
import type { NamedBucket } from '../../scenario/fleet-policy.ts';
import { makeBucket } from '../../scenario/named-options.ts';
import { TokenQuota } from '../token-quota.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** That of core's queue: the differential test of the lines compares the two. In milliseconds. */
const RETRY_HEAD_START_MS = 30_000;

/** The tokens of all clients of a fleet. */
export interface ClientTokens {
  take(client: number, cost: number, nowMs: number): boolean;
  /** How long until so many tokens have come in, in milliseconds; 0 if they can be taken now. */
  waitMs(client: number, cost: number, nowMs: number): number;
  /** Passes on the outcome of an attempt whose tokens were granted at a time, after a wait. */
  observe(client: number, outcome: Outcome, grantedAtMs: number, waitedMs: number): void;
}

/** Buckets that ignore feedback, as one number for each client. */
function numbers(clients: number, setup: BucketSetup): ClientTokens {
  const quota = new TokenQuota(setup);
  const states = new Float64Array(clients).fill(quota.holding(setup.initialTokens, 0));
  return {
    take(client, cost, nowMs) {
      const after = quota.take(states[client] as number, cost, nowMs);
      if (after === undefined) return false;
      states[client] = after;
      return true;
    },
    waitMs: (client, cost, nowMs) => quota.waitMs(states[client] as number, cost, nowMs),
    observe() {},
  };
}

/** Buckets of core, which observe what the server says and may adapt their rate. */
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

/** The rules of a client's line of requests that wait for tokens. */
export interface LineRules {
  readonly nonConforming: NonConforming;
  readonly maxQueue: number;
  readonly maxWaitMs: number;
  /** A new request comes before a retry if it has waited for longer than the retry by this. */
  readonly headStartMs: number;
}

/** The buckets of a fleet, and the rules of the lines before them. */
export interface ClientBuckets {
  readonly rules: LineRules;
  readonly tokens: ClientTokens;
}

/** Makes a bucket for each client. */
export function clientBuckets(bucket: NamedBucket, clients: number, environment: Environment): ClientBuckets {
  const options = 'adaptive' in bucket ? bucket.adaptive : bucket.tokenBucket;
  const { nonConforming = 'delay', maxQueue = NEVER, maxWaitMs = NEVER } = options;
  const rules: LineRules = { nonConforming, maxQueue, maxWaitMs, headStartMs: RETRY_HEAD_START_MS };
  if ('tokenBucket' in bucket && options.feedback === false) {
    return { rules, tokens: numbers(clients, bucketSetup({ ...options, ...environment })) };
  }
  // Requests wait in the simulation's lines, so a bucket only has to say whether it has tokens.
  const delaying =
    'adaptive' in bucket
      ? { adaptive: { ...options, nonConforming: 'delay' as const } }
      : { tokenBucket: { ...options, nonConforming: 'delay' as const } };
  return { rules, tokens: buckets(clients, () => makeBucket(delaying, environment)) };
}
