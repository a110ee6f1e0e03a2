import type { Clock } from '../base/time.ts';
import type { ThrottleState } from '../events/events.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { BucketMethods, BudgetMethods, CostOption, SlotMethods } from './contracts.ts';
import type { BroughtLimit } from './limit.ts';

/** An option that brings the code of its limit. */
export interface BringsLimit {
  /** How it gives permits to the attempts of calls. */
  readonly limit: BroughtLimit;
}

/** A bucket for a policy. */
export interface TokenBucket extends BucketMethods, BringsLimit {}

/** A limit of the requests in flight, for a policy. */
export interface ConcurrencyLimit extends SlotMethods, BringsLimit {}

/** A bucket, limit or budget per key, such as one per origin. */
export interface PerKey<T> extends BringsLimit {
  /**
   * Returns that of a request.
   *
   * @param key replaces the key of the request
   */
  for(request: RequestTraits, key?: string): T;
  /** The number of keys now. */
  readonly size: number;
}

/** A limit of retries, for a policy. */
export interface RetryBudget extends BudgetMethods, BringsLimit {}

/**
 * Sends less while little succeeds, for a policy.
 *
 * An event `throttle` is one of a request, as all events are, and goes to the policy of that request. So a change by {@link isolate} or
 * {@link close} is reported with the next request, and not by the call itself.
 */
export interface Throttle extends BringsLimit {
  /** The state of the class of requests with the lowest level. */
  readonly state: ThrottleState;
  /** The share of new requests that is sent of this class, from 0 to 1. */
  readonly level: number;
  /** Opens it by hand: nothing is sent until {@link close}, and all scheduled attempts are skipped. */
  isolate(): void;
  /** Closes it by hand: the level is 1 again, also if it was not isolated. */
  close(): void;
  /** True if `perKey` may evict it. */
  readonly isIdle: boolean;
}

/** All calls of a policy ask this of its limits and plugins. */
export interface Calls {
  readonly clock?: Clock | undefined;
  readonly priority?: number | undefined;
  readonly fairKey?: unknown;
  readonly cost?: CostOption | undefined;
  readonly throttle?: object | undefined;
  readonly trustedOrigins?: unknown;
}

/** A limit with a clock, whose queue may have no priorities or shares, or whose units the policy must know. */
export interface ChecksCalls {
  /** @throws TypeError, RangeError if it has another clock, its queue does not take this priority or a key, or it does not have these units */
  checkCalls(calls: Calls): void;
}
