import type { Grant, MemoryBucket, TokenBucketOptions } from '@ebb/core';
import { type BucketSetup, bucketSetup, type NonConforming } from '@ebb/core/bucket';
import type { Environment } from '../../scenario/client-options.ts';
import type { NamedBucket } from '../../scenario/fleet-policy.ts';
import { makeBucket, type OneUnitBucket } from '../../scenario/named-options.ts';
import { TokenQuota } from '../token-quota.ts';
import { type QuotaUse, quotas } from './client-quotas.ts';
import type { ClientTokens } from './client-tokens.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** The head start of retries in core's queue: the differential test compares the lines with that queue. In milliseconds. */
const RETRY_HEAD_START_MS = 30_000;

/** Buckets that ignore feedback, as one number for each client. */
function numbers(clients: number, setup: BucketSetup, cost: number): ClientTokens {
  const quota = new TokenQuota(setup);
  const states = new Float64Array(clients).fill(quota.holding(setup.initialTokens, 0));
  return {
    take(client, nowMs) {
      const after = quota.take(states[client] as number, cost, nowMs);
      if (after === undefined) return false;
      states[client] = after;
      return true;
    },
    waitMs: (client, requests, nowMs) => quota.waitMs(states[client] as number, requests * cost, nowMs),
    dueMs: (client, nowMs) => quota.waitMs(states[client] as number, cost, nowMs),
    observe: () => false,
  };
}

/** Buckets of core, which observe what the server says and may adapt their rate. */
function buckets(clients: number, make: () => MemoryBucket, cost: number): ClientTokens {
  const all = Array.from({ length: clients }, make);
  return {
    take: (client) => (all[client] as MemoryBucket).tryAcquire(cost) !== undefined,
    waitMs: (client, requests) => (all[client] as MemoryBucket).waitMs(requests * cost),
    dueMs: (client) => (all[client] as MemoryBucket).waitMs(cost),
    observe(client, _, outcome, grantedAtMs, waitedMs) {
      const grant: Grant = { cost: 1, waitedMs, grantedAtMs, conforming: true, settle() {} };
      (all[client] as MemoryBucket).observe?.(outcome, grant);
      return false;
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

function oneUnitTokens(
  bucket: OneUnitBucket,
  clients: number,
  cost: number,
  environment: Environment,
): ClientTokens {
  if ('tokenBucket' in bucket && bucket.tokenBucket.feedback === false) {
    return numbers(clients, bucketSetup({ ...bucket.tokenBucket, ...environment }), cost);
  }
  // Requests wait in the simulation's lines, so a bucket only has to say whether it has tokens.
  const delaying =
    'adaptive' in bucket
      ? { adaptive: { ...bucket.adaptive, nonConforming: 'delay' as const } }
      : { tokenBucket: { ...bucket.tokenBucket, nonConforming: 'delay' as const } };
  return buckets(clients, () => makeBucket(delaying, environment), cost);
}

/** The options of a named bucket that say how requests wait for it. */
function waitingOptions(
  bucket: NamedBucket,
): Pick<TokenBucketOptions, 'nonConforming' | 'maxQueue' | 'maxWaitMs'> {
  if ('quotaBucket' in bucket) return bucket.quotaBucket;
  return 'adaptive' in bucket ? bucket.adaptive : bucket.tokenBucket;
}

/** Makes a bucket for each client. */
export function clientBuckets(
  bucket: NamedBucket,
  clients: number,
  use: QuotaUse,
  environment: Environment,
): ClientBuckets {
  const { nonConforming = 'delay', maxQueue = NEVER, maxWaitMs = NEVER } = waitingOptions(bucket);
  const rules: LineRules = { nonConforming, maxQueue, maxWaitMs, headStartMs: RETRY_HEAD_START_MS };
  const tokens =
    'quotaBucket' in bucket
      ? quotas(clients, { ...bucket.quotaBucket, nonConforming: 'delay' }, use, environment)
      : oneUnitTokens(bucket, clients, use.cost as number, environment);
  return { rules, tokens };
}
