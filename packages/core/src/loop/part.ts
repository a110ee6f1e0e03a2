import type { BackoffStrategy } from '../backoff/curves.ts';
import type { Clock, Random } from '../base/clock.ts';
import type { BodyContext, InspectionContext, Opened } from '../http/body.ts';
import type { ReadFeedback } from '../http/feedback.ts';
import type { Advice, Outcome, RequestTraits, Responded } from '../http/outcome.ts';
import type { Way } from '../layers/layer.ts';
import type { News } from '../news/emit.ts';
import type { RetryReason, StopReason, ThrottleState } from '../news/events.ts';
import type { AcquireOptions, CostOption, Grant, OwnBucket, OwnBudget, OwnLimit } from './contracts.ts';
import type { HeaderChanges, NextAttempt } from './hooks.ts';

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

/** The class `Taking`, over that of the client. */
type SendsAtOnce = (base: never) => unknown;

/** `AsksParts` of client.ts, for any client. */
type Asks = (...args: never[]) => unknown;

/**
 * A limit or a feature that a policy is given. The loop knows this interface alone, so a policy pays for what it uses. Made once,
 * and shared by all calls.
 */
export interface Part {
  readonly name: string;
  /** `'answer'` for what `answering` makes: it stands before all others. */
  readonly place: Place | 'answer';
  /**
   * Makes the class that sends at once: limits of ebb bring it whose instances have no verbs but `acquire`, `leave`, `permit`, `skip`,
   * `free` and `end`. If all parts of a policy bring it, a request that need not wait is sent before its call is made.
   */
  readonly taking?: SendsAtOnce | undefined;
  /** What `answering` brings: it asks the parts that may answer a call. */
  readonly answering?: Asks | undefined;
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
  /**
   * Takes what the attempt needs, or returns the {@link Blocker}. It is called again after each wait, and after each
   * {@link leave} without an outcome, and must not take anything twice.
   *
   * @throws a refusal, which ends the call
   */
  acquire?(): Blocker | undefined;
  /** Calls what sends the attempt: the async context that a layer below sees. */
  wrap?<T>(send: () => T): T;
  /** True if {@link judge} ends by itself with the signal, so that the client's own error for an abort follows. */
  readonly endsItself?: boolean;
  /** Reads a response, whose body it can open. What it returns goes on to the next part, and to the decision. */
  judge?(outcome: Responded, advice: Advice | undefined, body: BodyAccess): MaybePromise<Advice | undefined>;
  /**
   * The attempt has ended, and is judged. Without an outcome nothing was sent, and everything goes back; that may happen several times
   * in an attempt. One that ends unjudged (by the total timeout, in a look that fails, or since a layer below has judged it) is followed by
   * {@link end} alone.
   */
  leave?(outcome: Outcome | undefined): void;
  /** Asked last whether a retry may be sent. Returns the reason if not. Asked again for the next chance of one that was skipped. */
  permit?(retry: PlannedRetry): StopReason | undefined;
  /** The chance is skipped: what {@link permit} took for it goes back. */
  skip?(): void;
  /**
   * The connection of the attempt is free.
   *
   * @param once when it will be; now if it is left out
   */
  free?(once?: Promise<void>): void;
  /** For a client of fetch: watches the body of a response, whose end frees the connection. */
  readonly whenBodyEnds?: WhenBodyEnds | undefined;
  /** The call has ended. */
  end?(reason: StopReason): void;
}

/** What keeps an attempt from being sent, and how to wait for it. See also `SKIP`. */
export interface Blocker {
  /** True if it waits for a slot. */
  readonly isForSlot?: boolean;
  /** True if `wait` ends by itself with the signal and the longest wait that it is given: the loop does not watch it. */
  readonly endsItself?: boolean;
  /**
   * Waits for it, and keeps it: the next {@link PartInstance.acquire} does not take it twice.
   *
   * @returns how long it took, in milliseconds; with `hold`, what that is to keep
   * @throws the signal's own reason, or a refusal
   */
  wait(options: AcquireOptions): Promise<unknown>;
  /** Keeps what `wait` has brought, in the same turn. Returns how long it took, in milliseconds. */
  hold?(brought: unknown): number;
}

/** A retry that nothing else speaks against. */
export interface PlannedRetry {
  readonly reason: RetryReason;
  /** In milliseconds. */
  readonly delayMs: number;
}

/** How a part looks into a response. */
export interface BodyAccess {
  readonly attempt: number;
  readonly signal: AbortSignal | undefined;
  /** Opens the body; `undefined` if there is none. */
  readonly open: () => Opened;
}

/** What the layers of ebb around a call say of it. */
export interface LayersAround {
  /** True if one of them retries, so that this one sends once. */
  readonly isInner: boolean;
  /** What they took for the same attempt. */
  readonly bucketsTaken: readonly object[];
  /** The limits whose slots they hold, and what else their user code holds. */
  readonly slotsHeld: readonly object[];
  /** What user code around it has paid for the first request that it sends. */
  readonly paidBuckets: Set<object> | undefined;
}

/** What parts need to know of a policy. */
export interface CallPolicy {
  readonly clock: Clock;
  readonly random: Random;
  readonly cost: CostOption;
  readonly budget?: object | undefined;
  readonly fairKey?: string | ((request: RequestTraits) => string) | undefined;
  readonly key?: string | undefined;
  readonly priority: number;
  readonly maxWaitMs?: number | undefined;
  readonly maxRetries: number;
  readonly backoff: BackoffStrategy;
  readonly attemptTimeoutMs?: number | undefined;
  readonly stopSignal?: AbortSignal | undefined;
}

/** A call, as its parts see it. */
export interface PartCall {
  readonly policy: CallPolicy;
  readonly request: RequestTraits;
  /** The `feedback` that the policy was given itself, and not by its bucket. */
  readonly givenFeedback: ReadFeedback | false | undefined;
  /** The attempt in flight, from 1; 0 before the first. */
  readonly attempt: number;
  readonly layers: LayersAround;
  /** The outcome that the attempt retries; `undefined` for a first attempt, and for a hedge. */
  readonly toRetry?: Outcome | undefined;
  /** The bucket that the tokens of the attempt were taken from. */
  bucket: OwnBucket | undefined;
  /** The tokens of the attempt. */
  grant: Grant | undefined;
  /** Tokens that a part settles once it knows what the attempt has cost. Others leave them alone. */
  meteredGrant?: Grant | undefined;
  /** The limit whose slot the attempt holds, or a bucket that charges what it has taken at the end of its body. */
  bodyHolder: object | undefined;
  /** What watches the bodies of responses, if a part has brought it. */
  readonly whenBodyEnds?: PartInstance['whenBodyEnds'];
  /** Tells `onEvent`. */
  emit(news: News): void;
}

/** Calls `ended` once the body of a response no longer uses its connection. */
type WhenBodyEnds = (settled: unknown, context: BodyContext, ended: () => void) => void;

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

/** A bucket for a policy. */
export interface TokenBucket extends OwnBucket, BringsPart {}

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

/** A limit of retries, for a policy. */
export interface RetryBudget extends OwnBudget, BringsPart {}

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

/** What all calls of a policy ask of its limits and parts. */
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
