import { type Costs, type Grant, type QuotaBucketOptions, quotaBucket } from '@ebb/core';
import type { Environment } from '../../scenario/client-options.ts';
import { OUTCOMES, REFUSED } from '../outcomes.ts';
import type { ClientTokens } from './client-tokens.ts';

/** The costs that clients take from their buckets of several units. */
export interface QuotaUse {
  readonly cost: number | Costs;
  /** Whether clients settle their tokens with what answers say. */
  readonly actualCost: boolean;
}

/**
 * How often a request looks for its tokens if it does not fit beside the requests in flight, in milliseconds. The
 * request also looks when a request in flight is settled; core's bucket itself charges tokens that are held for too
 * long.
 */
const HELD_UP_MS = 60_000;

function times(cost: number | Costs, requests: number): number | Costs {
  if (typeof cost === 'number') return requests * cost;
  return Object.fromEntries(Object.entries(cost).map(([unit, part]) => [unit, requests * part]));
}

/** How many requests a client can have in flight whose tokens are held until they are settled. */
function mostInFlight({ limits }: QuotaBucketOptions, cost: number | Costs): number {
  const most = Object.entries(limits).map(([unit, { chargeOn, capacity }]) => {
    const part = typeof cost === 'number' ? cost : (cost[unit] ?? 0);
    return chargeOn === 'completion' && part > 0 ? capacity / part : Number.POSITIVE_INFINITY;
  });
  return Math.min(...most);
}

/** Core's buckets of several units. The grant of each request is kept until its answer settles it. */
export function quotas(
  clients: number,
  options: QuotaBucketOptions,
  { cost, actualCost }: QuotaUse,
  environment: Environment,
): ClientTokens {
  const all = Array.from({ length: clients }, () => quotaBucket({ ...options, ...environment }));
  const most = mostInFlight(options, cost);
  const inFlight = new Uint32Array(clients);
  const grants = new Map<number, Grant>();
  let last: Grant | undefined;
  const bucketOf = (client: number) => all[client] as (typeof all)[number];
  /** Without the units that the bucket does not have. */
  const actual = (spent: Costs): Costs =>
    Object.fromEntries(Object.entries(spent).filter(([unit]) => Object.hasOwn(options.limits, unit)));

  return {
    take(client) {
      last = bucketOf(client).tryAcquire(cost);
      if (last === undefined) return false;
      inFlight[client] = (inFlight[client] as number) + 1;
      return true;
    },
    keep(request) {
      grants.set(request, last as Grant);
    },
    waitMs: (client, requests) => bucketOf(client).waitMs(times(cost, requests)),
    dueMs(client) {
      const waitMs = bucketOf(client).waitMs(cost);
      return (inFlight[client] as number) + 1 > most ? Math.max(waitMs, HELD_UP_MS) : waitMs;
    },
    observe(client, request, outcome, grantedAtMs, waitedMs, spent) {
      const bucket = bucketOf(client);
      const grant = grants.get(request);
      if (grant === undefined) {
        // Sent with a mark.
        bucket.observe?.(outcome, { cost, waitedMs, grantedAtMs, conforming: false, settle() {} });
        return false;
      }
      grants.delete(request);
      inFlight[client] = (inFlight[client] as number) - 1;
      // As in core: what is known of the cost counts before the outcome does, and what is still held after it.
      if (outcome === OUTCOMES[REFUSED]) grant.settle(0);
      else if (actualCost && spent !== undefined) grant.settle(actual(spent));
      bucket.observe?.(outcome, grant);
      grant.settle(cost);
      return true;
    },
  };
}
