import type { Clock } from '../base/clock.ts';
import type { InspectionContext, Opened } from '../http/body.ts';
import type { Advice, Outcome, RequestTraits, Responded } from '../http/outcome.ts';
import type { Way } from '../nested/outer-call.ts';
import type { StopReason, ThrottleState } from '../news/events.ts';
import type { PartCall, WhenBodyEnds } from './call-view.ts';
import type { CostOption, OwnBucket, OwnBudget, OwnLimit } from './contracts.ts';
import type { HeaderChanges, NextAttempt } from './hooks.ts';
import type { BroughtLimit } from './limit.ts';

/**
 * Where a part stands in a call. Whatever the order in which a user names parts, they are asked in this one: an attempt that
 * must wait for a slot has not drawn tokens, and what is likely to be refused is asked first.
 */
export const PLACES = [
  'throttle',
  'slot',
  'origin',
  'tokens',
  'headers',
  'layers',
  'reading',
  'watching',
] as const;

/** See {@link PLACES}. */
export type Place = (typeof PLACES)[number];

/** Drives a call, for any client. */
type Drives = (...args: never[]) => unknown;

/**
 * A limit or a feature that a policy is given. The loop knows this interface alone, so a policy pays for what it uses. Made once,
 * and shared by all calls.
 */
export interface Part {
  readonly name: string;
  /** `'answer'` for what `answering` makes: it stands before all others. */
  readonly place: Place | 'answer';
  /** Brought by `limit`. */
  readonly limit?: BroughtLimit | undefined;
  /** Brought by `answering`: it asks the parts that may answer a call. */
  readonly answering?: Drives | undefined;
  /**
   * Called when a client that sends in this way is made with the policy.
   *
   * @throws TypeError if such a client cannot have the part
   */
  checkWay?(way: Way): void;
  /**
   * Called when a policy is made with the part, with some of its options.
   *
   * @throws TypeError if the part needs others
   */
  checkCalls?(calls: Calls): void;
  /**
   * Begins with a call. `undefined` if the part has nothing to do with it, which costs nothing.
   *
   * @throws what the call is to fail with, before anything is sent
   */
  begin(call: PartCall): PartInstance | undefined;
}

type MaybePromise<T> = T | Promise<T>;

/** A part in one call. All verbs are optional, and those without a promise in their type are synchronous. */
export interface PartInstance {
  /**
   * User code that changes the headers of the next attempt. Called while nothing is held. They may be credentials: it is not called
   * for an origin that the policy does not trust, and its part must have the place `headers`, so that this is known beforehand.
   */
  headers?(next: NextAttempt): HeaderChanges | undefined | Promise<HeaderChanges | undefined>;
  /** As {@link headers}, for headers that are no credentials, such as those of a trace: every origin gets them. At any place. */
  label?(next: NextAttempt): HeaderChanges | undefined | Promise<HeaderChanges | undefined>;
  /** Calls what sends the attempt: the async context that a layer below sees. */
  wrap?<T>(send: () => T): T;
  /** True if {@link judge} ends by itself with the signal, so that the client's own error for an abort follows. */
  readonly endsItself?: boolean;
  /** Reads a response, whose body it can open. What it returns goes on to the next part, and to the decision. */
  judge?(outcome: Responded, advice: Advice | undefined, body: BodyAccess): MaybePromise<Advice | undefined>;
  /** For a client of fetch: watches the body of a response, whose end frees the connection. */
  readonly whenBodyEnds?: WhenBodyEnds | undefined;
  /** The call has ended. */
  end?(reason: StopReason): void;
}

/** How a part looks into a response. */
export interface BodyAccess {
  readonly attempt: number;
  readonly signal: AbortSignal | undefined;
  /** Opens the body; `undefined` if there is none. */
  readonly open: () => Opened;
}

/** An option that brings the code of its part. */
interface BringsPart {
  /** How it takes part in calls. */
  readonly part: Part;
}

/** An option that brings the code of its limit. */
export interface BringsLimit {
  /** How it gives permits to the attempts of calls. */
  readonly limit: BroughtLimit;
}

/** `inspectBody` makes it for the policy's `inspect`. */
export interface BodyInspector extends BringsPart {
  /**
   * The outcome with what it says of the body; the same outcome if it says nothing.
   *
   * @throws HookError if the function that inspects fails, or returns an invalid value
   */
  look(outcome: Responded, context: InspectionContext): Promise<Outcome>;
}

/** `readCost` makes it for the policy's `actualCost`. */
export type CostReader = BringsPart;

/** A bucket for a policy. */
export interface TokenBucket extends OwnBucket, BringsLimit {}

/** A limit of the requests in flight, for a policy. */
export interface ConcurrencyLimit extends OwnLimit, BringsLimit {}

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
export interface RetryBudget extends OwnBudget, BringsLimit {}

/**
 * Sends less while little succeeds, for a policy.
 *
 * An event `share` is one of a request, as all events are, and goes to the policy of that request. So a change by {@link hold} or
 * {@link release} is reported with the next request, and not by the call itself.
 */
export interface Throttle extends BringsLimit {
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

/** All calls of a policy ask this of its limits and parts. */
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
