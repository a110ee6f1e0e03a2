import { proseOf } from '#prose';
import { oneOf } from '../base/check.ts';
import { type Clock, isSameClock } from '../base/clock.ts';
import { type OptionTable, readOptions } from '../base/options.ts';
import type { InspectionContext } from '../http/body.ts';
import type { ReadFeedback } from '../http/feedback.ts';
import type { Outcome, RequestTraits, Responded } from '../http/outcome.ts';
import type { ThrottleState } from '../news/events.ts';
import type { AcquireOptions, CostOption, Costs, Grant } from './costs.ts';
import type { CallPolicy, Part } from './part.ts';

export type { AcquireOptions, Grant } from './costs.ts';

/** The state of one unit of a bucket. */
export interface UnitStats {
  /** Tokens that are available now. A negative number is a debt. */
  readonly tokens: number;
  /** In tokens. */
  readonly capacity: number;
  /** Tokens per second. */
  readonly refillPerSecond: number;
}

/** The state of a bucket. Of one of several units the numbers are those of the unit that has least of its capacity. */
export interface BucketStats extends UnitStats {
  /** The state of each unit, by name; `undefined` for a bucket of one unit. */
  readonly units?: Readonly<Record<string, UnitStats>>;
  /** Requests that wait, including those for a paused origin. */
  readonly waiting: number;
  /** The tokens that they wait for. */
  readonly waitingCost: number;
  /** The rest of the pause, in milliseconds: of the bucket, or of the origin with the longest pause. 0 without a pause. */
  readonly pausedMs: number;
  /** Requests that were granted tokens so far, including marked ones. */
  readonly granted: number;
  /** Requests that were marked so far: sent although the tokens were not available. */
  readonly marked: number;
  /** Requests that {@link TokenBucket.acquire} refused so far, without aborted ones. */
  readonly refused: number;
  /** True if discarding this bucket loses nothing: it is full, not paused, at its original rate, and has no queue. */
  readonly idle: boolean;
}

/** What a limit brings its code with. */
interface BringsPart {
  /** How the limit takes part in calls. */
  readonly part: Part;
}

/** What `inspectBody` makes for the policy's `inspect`. */
export interface BodyInspector extends BringsPart {
  /**
   * The outcome with what it says of the body; the same outcome if it says nothing.
   *
   * @throws HookError if the function that inspects fails, or returns an invalid value
   */
  look(outcome: Responded, context: InspectionContext): Promise<Outcome>;
}

/** What `readCost` makes for the policy's `actualCost`. */
export type CostReader = BringsPart;

/** A bucket of tokens that refills at a rate. Requests take tokens before they are sent. See {@link ownBucket}. */
export interface OwnBucket {
  /**
   * Takes the tokens if they are available now and no other request waits for them; returns `undefined` if not.
   *
   * @param cost see {@link AcquireOptions.cost}
   * @param earlier see {@link AcquireOptions.earlier}
   * @throws TypeError, RangeError if the bucket can never hold the cost
   */
  tryAcquire(cost?: number | Costs, earlier?: Grant): Grant | undefined;
  /**
   * Waits for its turn, and takes the tokens: first come, first served in the order of its `queue`.
   *
   * Rejects with a `ThrottledError` if the tokens cannot be had within the limits of the options or the bucket, with the
   * signal's own reason when it aborts, and with a `TypeError` or `RangeError` for wrong options.
   */
  acquire(options?: AcquireOptions): Promise<Grant>;
  /**
   * Called with the outcome of each request that it granted tokens to. A bucket may pause, or change its rate.
   *
   * @param request the request, whose origin the response is about
   * @param read how the policy reads responses, if it was given a `feedback`; else the bucket reads by its own
   */
  observe?(outcome: Outcome, grant: Grant, request?: RequestTraits, read?: ReadFeedback | false): void;
  /**
   * A second bucket that a request must take the same tokens from, because its origin asked for a pause; `undefined` if
   * there is no such pause.
   */
  gateFor?(request: RequestTraits): OwnBucket | undefined;
  /** True if a grant is charged when it is settled: a policy then settles each at the end of its attempt. */
  readonly settled?: boolean;
  /**
   * Lowers the tokens of the bucket to the number that the server says is left, and never raises them. What is in flight, and is
   * charged when it is settled, comes out of that. A unit that is not named stays as it is.
   *
   * @param answered the grant of the request whose answer says so. The server may not have seen then what was granted since: that
   * comes out of it as well. An answer that one to a later request has overtaken changes nothing
   * @throws TypeError, RangeError if a number is negative or not finite, or the bucket has no such unit
   */
  atMost?(left: number | Costs, answered?: Grant): void;
  /** How a policy with this bucket reads responses, unless it has a `feedback` of its own. `false`: as one without a bucket. */
  readonly feedback?: ReadFeedback | false;
}

/** A bucket for a policy. */
export interface TokenBucket extends OwnBucket, BringsPart {}

/** Options of {@link ObservableBucket.close}. */
export interface CloseOptions {
  /**
   * What happens to the requests that wait. `'reject'`: they are rejected at once. `'drain'`: they get their tokens in
   * turn.
   * @default 'reject'
   */
  readonly waiting?: 'reject' | 'drain' | undefined;
}

/** @throws TypeError, RangeError for a wrong option */
export function waitingAtClose(options: CloseOptions = {}): 'reject' | 'drain' {
  // Made here: a program without it does not have the table.
  const table: OptionTable<CloseOptions> = {
    waiting: { check: oneOf('reject', 'drain'), default: 'reject' },
  };
  return readOptions('close', options, table).waiting;
}

/** A bucket that can be paused, closed and inspected. */
export interface ObservableBucket extends TokenBucket {
  /**
   * Pauses the bucket and empties it. It refills from the end of the pause. Never shortens a pause. Waiting requests whose
   * deadline is within the pause are rejected now, a few hundred per turn of the event loop.
   *
   * @param durationMs in milliseconds
   * @throws TypeError, RangeError if the duration is negative or not finite
   */
  pauseFor(durationMs: number): void;
  /**
   * Ends every pause now: that of the bucket and those of single origins. A paused bucket is empty then, and refills. Does
   * nothing without a pause.
   */
  resume(): void;
  /** Resolves when no request waits: at once if none does. It does not keep the process alive. */
  idle(): Promise<void>;
  /**
   * Stops granting tokens to new requests: `acquire` rejects with a `ThrottledError` whose reason is `'closed'`, and
   * `tryAcquire` returns `undefined`, also with `nonConforming: 'mark'`. Resolves when no request waits any more. Grants
   * can still be settled. A second call does nothing, except that `'reject'` after `'drain'` rejects the rest of the queue.
   *
   * Rejects with a `TypeError` or `RangeError` for a wrong option.
   */
  close(options?: CloseOptions): Promise<void>;
  /** The state of the bucket now. */
  stats(): BucketStats;
}

/** The right of one request to be in flight. */
export interface Slot {
  /** How long the request waited for it, in milliseconds. */
  readonly waitedMs: number;
  /** Passes the slot on to the next request. Only the first call counts. */
  release(): void;
}

/** The state of a {@link ConcurrencyLimit}. */
export interface ConcurrencyStats {
  /** Slots that are held now. */
  readonly inUse: number;
  readonly maxConcurrent: number;
  /** Requests that wait. */
  readonly waiting: number;
  /** Requests that {@link ConcurrencyLimit.acquire} refused so far, without aborted ones. */
  readonly refused: number;
}

/** Limits the requests in flight, from the start of an attempt to the end of its response body. See {@link ownLimit}. */
export interface OwnLimit {
  /** Takes a slot if one is free now and no other request waits for it; returns `undefined` if not. */
  tryAcquire(): Slot | undefined;
  /**
   * Waits for its turn, and takes a slot: first come, first served in the order of its `queue`.
   *
   * Rejects with a `ThrottledError` if no slot can be had within the limits, with the signal's own reason when it aborts,
   * and with a `TypeError` or `RangeError` for wrong options.
   */
  acquire(options?: Omit<AcquireOptions, 'cost'>): Promise<Slot>;
  /** The state of the limit now. */
  stats(): ConcurrencyStats;
}

/** A limit of the requests in flight, for a policy. */
export interface ConcurrencyLimit extends OwnLimit, BringsPart {}

/** A bucket, limit or budget per key, such as one per origin. */
export interface PerKey<T> extends BringsPart {
  /**
   * Returns that of a request.
   *
   * @param key replaces the key of the request
   */
  for(request: RequestTraits, key?: string): T;
  /** The number of keys now. */
  readonly size: number;
}

/** What all calls of a policy ask of its limits. */
interface Calls {
  readonly clock?: Clock | undefined;
  readonly priority?: number | undefined;
  readonly fairKey?: unknown;
  readonly cost?: CostOption | undefined;
  readonly throttle?: object | undefined;
}

/** A limit with a clock, whose queue may have no priorities or shares, or whose units the policy must know. */
export interface ChecksCalls {
  /** @throws TypeError, RangeError if it has another clock, its queue does not take this priority or a key, or it does not have these units */
  checkCalls(calls: Calls): void;
}

/**
 * @param what the name of the limit
 * @throws TypeError if the calls of a limit run on another clock
 */
export function mustHaveClock(what: string, own: Clock, { clock = own }: Calls): void {
  if (isSameClock(own, clock)) return;
  const message = proseOf(
    () =>
      `The clock of ${what} differs from that of its policy, or of its perKey: pass one \`clock\` to both`,
  );
  throw new TypeError(message ?? `clock: ${what}`);
}

/** Limits retries to a share of the traffic. See {@link ownBudget}. */
export interface OwnBudget {
  /** The number of retries that it allows now; below one, the probability of one. */
  readonly balance: number;
  /** A request starts. A budget that leases its retries from elsewhere can do so now, before the request fails. */
  begin?(): void;
  /** A request has ended, with any outcome: once for each {@link begin}. */
  end?(): void;
  /** A request was successful. */
  deposit(): void;
  /** Takes one retry; returns false if there is none. */
  withdraw(): boolean;
  /** Gives the last withdrawal back, because its retry was not sent. */
  refund?(): void;
  /** True if discarding this budget loses nothing. A budget without it is never evicted by `perKey`. */
  readonly isIdle?: boolean;
}

/** A limit of retries, for a policy. */
export interface RetryBudget extends OwnBudget, BringsPart {}

/**
 * The bucket, limit or budget of a request, if there may be one per key.
 *
 * @param calls what the policy of the request asks of queues: that of a limit per key is known only here
 * @throws TypeError if its queue has no priorities, or no shares
 */
export function forRequest<T extends object>(
  one: T | PerKey<T>,
  request: RequestTraits,
  key: string | undefined,
  calls: Pick<CallPolicy, 'fairKey'> & Partial<Pick<CallPolicy, 'priority'>> = {},
): T {
  return 'for' in one ? checkedFor(one.for(request, key), calls) : one;
}

/**
 * A limit per key, which is known only with its first request.
 *
 * @throws TypeError if its queue has no priorities, or no shares
 */
export function checkedFor<T extends object>(
  limit: T,
  { priority, fairKey }: Pick<CallPolicy, 'fairKey'> & Partial<Pick<CallPolicy, 'priority'>>,
): T {
  if (priority || fairKey !== undefined) (limit as Partial<ChecksCalls>).checkCalls?.({ priority, fairKey });
  return limit;
}

/**
 * Sends less while little succeeds, for a policy.
 *
 * An event `share` is one of a request, as all events are, and goes to the policy of that request. So a change by {@link hold} or
 * {@link release} is reported with the next request, and not by the call itself.
 */
export interface Throttle {
  /** How it takes part in calls. */
  readonly part: Part;
  readonly state: ThrottleState;
  /** The share of new requests that is sent, from 0 to 1. */
  readonly share: number;
  /** Opens it by hand: nothing is sent until {@link release}, and all chances are skipped. */
  hold(): void;
  /** Closes it by hand: the share is 1 again, also if it has not been held. */
  release(): void;
  /** True if `perKey` may evict it. */
  readonly isIdle: boolean;
}
