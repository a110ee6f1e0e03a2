import type { BackoffStrategy } from '../backoff/strategy.ts';
import type { Clock, Random } from '../base/time.ts';
import type { Attempt, EventFields, RetryReason } from '../events/events.ts';
import type { BodyContext } from '../http/body.ts';
import type { Outcome, ReadFeedback, RequestTraits } from '../http/outcome.ts';
import type { OuterCall } from '../nested/outer-call.ts';
import type { BucketMethods, CostOption, Grant } from './contracts.ts';

/** A retry that nothing else speaks against. */
export interface PlannedRetry {
  readonly reason: RetryReason;
  /** In milliseconds. */
  readonly delayMs: number;
}

/** The methods of requests that may be sent again, although the server may have carried out the attempt before. */
export type RetryMethods = 'idempotent' | 'all' | readonly string[] | ((request: RequestTraits) => boolean);

/** A policy as limits and plugins see it. */
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
  readonly methods: RetryMethods;
  readonly backoff: BackoffStrategy;
  readonly attemptTimeoutMs?: number | undefined;
  readonly stopSignal?: AbortSignal | undefined;
}

/** A call as limits and plugins see it. */
export interface CallView {
  readonly policy: CallPolicy;
  readonly request: RequestTraits;
  /** The `feedback` that the policy was given itself, and not by its bucket. */
  readonly givenFeedback: ReadFeedback | false | undefined;
  /** The attempt in flight, from 1; 0 before the first. */
  readonly attempt: number;
  /** The call of ebb around it: it has made this one, or sends the same request. */
  readonly outer: OuterCall | undefined;
  /** True if that sends the same request, and retries it: this one sends once. */
  readonly isInner: boolean;
  /** True if its attempts may go to other origins: a limit per key looks for its key before each of them. */
  readonly moves?: boolean | undefined;
  /** The attempts that have ended. As the call ends a plugin may replace it, with what it knows of them. */
  history: readonly Attempt[];
  /** How many scheduled attempts limits have skipped. */
  readonly skipped?: number | undefined;
  /** True if an attempt was sent again at once, which counts as no retry. */
  readonly wasAtOnce?: boolean | undefined;
  /** The time of the call that is left, if the policy has a total timeout. */
  readonly deadline?: { readonly leftMs: number } | undefined;
  /** How long hooks and the body factory have taken for the attempt, in milliseconds: its timeout has begun with them. */
  readonly hookMs?: number | undefined;
  /** The outcome that the attempt retries; `undefined` for a first attempt, and for a hedge. */
  readonly toRetry?: Outcome | undefined;
  /** The bucket that the tokens of the attempt were taken from. */
  bucket: BucketMethods | undefined;
  /** The tokens of the attempt. */
  grant: Grant | undefined;
  /**
   * The idempotency key of the request, if hooks or `idempotencyKey` of the policy are asked for headers. `isOurs` is true if ebb has made it,
   * `isKept` is false once an attempt did not carry it.
   */
  readonly key?: { readonly isOurs: boolean; readonly isKept: boolean } | undefined;
  /** Tokens that a plugin settles once it knows the cost of the attempt. Others leave them alone. */
  meteredGrant?: Grant | undefined;
  /** The limit whose slot the attempt holds, or a bucket that charges its tokens at the end of the body. */
  bodyHolder: object | undefined;
  /** Watches the bodies of responses, if a limit has brought it. */
  readonly whenBodyEnds?: WhenBodyEnds | undefined;
  /** Tells `onEvent`. */
  emit(fields: EventFields): void;
}

/** Calls `ended` once the body of a response no longer uses its connection. */
export type WhenBodyEnds = (settled: unknown, context: BodyContext, ended: () => void) => void;
