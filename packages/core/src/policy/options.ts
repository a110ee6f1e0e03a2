import type { BackoffStrategy } from '../backoff/strategy.ts';
import type { Complete } from '../base/options.ts';
import type { Clock, Random } from '../base/time.ts';
import type { Observer } from '../events/events.ts';
import type { Classify } from '../http/classify.ts';
import type { ReadFeedback, RequestTraits } from '../http/outcome.ts';
import type { RetryMethods } from './call-view.ts';
import type { CostOption } from './contracts.ts';
import type { BeforeAttempt, WrapAttempt } from './hooks.ts';
import type { BroughtLimit, Limit } from './limit.ts';
import type {
  BringsLimit,
  ConcurrencyLimit,
  PerKey,
  RetryBudget,
  Throttle,
  TokenBucket,
} from './limit-options.ts';
import type { Middleware } from './middleware.ts';
import type { BodyInspector, CostReader, Inspector, Plugin } from './plugin.ts';
import type { TrustedOrigins } from './trust.ts';

/** The bounds of a wait that a server asks for: `retryAfter` of a policy. An option that is left out stays as it is. */
export interface RetryAfterOptions {
  /**
   * In milliseconds.
   * @default 600_000
   */
  readonly maxMs?: number | undefined;
  /**
   * `'stop'`: a longer wait ends the retries. `'cap'`: the retry comes after `maxMs`, or the backoff if that is longer, and so earlier
   * than asked. The pauses of buckets stay.
   * @default 'stop'
   */
  readonly then?: 'stop' | 'cap' | undefined;
}

/** Options of {@link createPolicy}. All of them are optional. */
export interface PolicyOptions {
  /**
   * The most retries, that is attempts after the first. 0 never retries. `Infinity` needs a `totalTimeoutMs`, a `budget` or a
   * `stopSignal`, which ends the call.
   * @default the `maxRetries` of the backoff rule if it has one, else 5
   */
  readonly maxRetries?: number | undefined;
  /**
   * How long to wait before each retry. A rule of your own sees the outcome: `({ outcome }) => outcome?.type === 'failure' ? 400 : 50`.
   * @default memorystore()
   */
  readonly backoff?: BackoffStrategy | undefined;
  /**
   * Returns the verdict on an outcome: success, refused, transient or final. Returns at once: use `inspect` for a verdict with a
   * wait, such as for a body.
   * @default classifyHttp
   */
  readonly classify?: Classify | undefined;
  /**
   * Reads the requests of a server in the headers of a response: how long to wait, and whether to retry. A server's "retry" also
   * holds for methods that are not idempotent, and its "do not retry" for every status. `false` reads nothing. Outranks the
   * `feedback` of the bucket, unless that is `false`.
   * @default the `feedback` of the bucket; without a bucket `Retry-After` and `retry-after-ms` alone
   */
  readonly feedback?: ReadFeedback | false | undefined;
  /**
   * Judges a response by its body, such as an error in a 200 or in the first event of a stream: what `inspectBody` returns.
   * @default none
   */
  readonly inspect?: BodyInspector | undefined;
  /**
   * Adds an `Idempotency-Key` to each request that is not idempotent, the same on each attempt, to allow retries. Only for
   * servers that know this header. `true` makes a random UUID. A key that the caller has set stays.
   * @default none
   */
  readonly idempotencyKey?: true | ((request: RequestTraits) => string) | undefined;
  /**
   * Called once before each attempt, after its delay and before it takes its slot and its tokens: it may use the same client. It
   * returns headers to change, for a signature, a fresh token or a retry counter. A value may be a function, which is called at
   * the send, after the wait for slot and tokens: for a value that must be fresh.
   * @default none
   */
  readonly beforeAttempt?: BeforeAttempt | undefined;
  /**
   * The origins that get the headers of `beforeAttempt`, also of plugins: a list of origins, or a function of the request, asked
   * before each attempt. For other origins `beforeAttempt` is not called. The function sees a redirect only if the redirect is
   * followed above ebb. `refreshOn401` needs the option in every client.
   * @default the origin of each call. @ebb/undici, which does not know this origin, has no default
   */
  readonly trustedOrigins?: TrustedOrigins | undefined;
  /**
   * Called with each attempt as it is sent, and sends it, for instance in an async context of its own, which an instrumentation
   * of the client sees as active. It must call its `send` at once, and return the result of `send`.
   * @default none
   */
  readonly wrapAttempt?: WrapAttempt | undefined;
  /**
   * The methods that may be retried after a `transient` outcome, when the server may have carried out the request.
   * `'idempotent'`: those of RFC 9110 §9.2.2, and any request with an `Idempotency-Key`. `'all'`. A list. Or a function of
   * the request, for a GraphQL query that is sent by POST for example.
   * @default 'idempotent'
   */
  readonly methods?: RetryMethods | undefined;
  /**
   * The longest `Retry-After` to wait for. A longer one ends the retries by default, so that no retry is earlier than asked.
   * `maxPauseMs` of the bucket bounds how long a response holds up other requests, and cuts a longer pause.
   * @default { maxMs: 600_000, then: 'stop' }
   */
  readonly retryAfter?: RetryAfterOptions | undefined;
  /**
   * The timeout of one attempt, in milliseconds: its hooks, its body factory, and the time until its response, but not the wait
   * for its slot and its tokens. An attempt that exceeds it has a `transient` outcome.
   * @default none
   */
  readonly attemptTimeoutMs?: number | undefined;
  /**
   * Bounds the call until the response that its caller gets, in milliseconds. No wait goes beyond it: backoff, the connection,
   * hooks, the slot, the tokens; ebb stops at once rather than sleep past it. An attempt in flight is ended by it: the result
   * is then the last response before it, if there is one that was short enough to keep, else the client's own timeout error.
   * Reading the body of the response is bounded with `totalTimeoutCovers: 'body'`.
   * @default none
   */
  readonly totalTimeoutMs?: number | undefined;
  /**
   * The part of a call that `totalTimeoutMs` bounds: until the response, or until the caller has read the body. After the timeout
   * the reader of the body gets the client's timeout error of an attempt.
   * @default 'headers'
   */
  readonly totalTimeoutCovers?: 'headers' | 'body' | undefined;
  /**
   * Every attempt takes tokens from this bucket, or from that of its key.
   * @default none
   */
  readonly bucket?: TokenBucket | PerKey<TokenBucket> | undefined;
  /**
   * Every attempt holds a slot of this limit, or of that of its key, until its response body has ended.
   * @default none
   */
  readonly concurrency?: ConcurrencyLimit | PerKey<ConcurrencyLimit> | undefined;
  /**
   * Every retry withdraws from this budget, or from that of its key.
   * @default none
   */
  readonly budget?: RetryBudget | PerKey<RetryBudget> | undefined;
  /**
   * Sends less while little succeeds. To be set with `attemptTimeoutMs` by more than a handful of clients.
   * @default none
   */
  readonly throttle?: Throttle | PerKey<Throttle> | undefined;
  /**
   * Limits of your own. An attempt asks them after the `throttle` and before its slot and its tokens, in the order of the list.
   * @default none
   */
  readonly limits?: readonly (Limit | BringsLimit)[] | undefined;
  /**
   * Functions `(call, next) => result` around a whole call, the first around the others. For clients of promises: @ebb/undici refuses it.
   * Only the outermost of nested clients calls middleware, and `retry` does not.
   * @default none
   */
  readonly middleware?: readonly Middleware[] | undefined;
  /**
   * Features that bundle hooks, limits and middleware, such as `refreshOn401(…)`. Options come first, and then the plugins in the
   * order of the list: a later header replaces an earlier one, and around an attempt or a call the first is the outermost.
   * @default none
   */
  readonly plugins?: readonly Plugin[] | undefined;
  /**
   * The tokens of an attempt: a number above 0, for a bucket of several units the tokens of each, or a function of the request.
   * See `estimatedCost`.
   * @default 1
   */
  readonly cost?: CostOption | undefined;
  /**
   * Settles the tokens of an attempt with the cost that its response reports. `costFromResponse` makes such a reader.
   * @default none
   */
  readonly actualCost?: CostReader | undefined;
  /**
   * The key (tenant) of a request, for limits with `queue: fairQueue()`: a string, or a function of the request.
   * @default none
   */
  readonly fairKey?: string | ((request: RequestTraits) => string) | undefined;
  /**
   * A whole number from -7 to 7. While requests wait for a slot or tokens, the highest priority goes first, and within a priority
   * retries go before new requests. Other than 0 it needs limits with `queue: priorityQueue()`.
   * @default 0
   */
  readonly priority?: number | undefined;
  /**
   * Replaces the key of the request for a `bucket`, `concurrency` or `budget` per key.
   * @default the key that their `keyOf` returns
   */
  readonly key?: string | undefined;
  /**
   * The longest wait of an attempt for its slot and its tokens together, in milliseconds. If it is known that the wait
   * will be longer, the attempt is refused at once. Buckets and limits have a `maxWaitMs` of their own: the shortest applies.
   * @default none
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * When it aborts, nothing more is sent, at the shutdown of a program for example. A request that waits for a retry ends with
   * its last result, and a request before its first attempt fails with a `NotSentError` (`stopped`). Attempts in flight go on,
   * unlike after an abort of the request's own signal.
   * @default none
   */
  readonly stopSignal?: AbortSignal | undefined;
  /**
   * Called with every attempt, wait, retry and end. It cannot change anything: see {@link Observer}.
   * @default none
   */
  readonly onEvent?: Observer | undefined;
  /** @default the clock of the system */
  readonly clock?: Clock | undefined;
  /** @default Math.random */
  readonly random?: Random | undefined;
}

/** Options that may stay unset. */
export type UnsetOptions = Exclude<
  keyof PolicyOptions,
  | ('maxRetries' | 'backoff' | 'classify' | 'feedback' | 'methods' | 'retryAfter' | 'totalTimeoutCovers')
  | ('cost' | 'priority' | 'clock' | 'random')
>;

/**
 * Marks a policy, and holds its parts besides the public fields. All copies of this package in a program share this symbol, so
 * that each recognises the policies of the others.
 */
export const POLICY: unique symbol = Symbol.for('@ebb/core policy');

/** Validated options with all defaults applied. Made by {@link createPolicy}, and frozen. */
export interface Policy extends Complete<PolicyOptions, UnsetOptions> {
  readonly retryAfter: Complete<RetryAfterOptions>;
  readonly [POLICY]: Inside;
}

/** The parts of a policy besides its public fields. */
export interface Inside {
  /** `undefined` if the number comes from the backoff rule: a request with another rule gets the number of its own rule. */
  readonly maxRetries: number | undefined;
  /** `undefined` if it is that of the bucket, or the default. */
  readonly feedback: ReadFeedback | false | undefined;
  /** In the order in which an attempt takes from them. */
  readonly limits: readonly BroughtLimit[];
  /** `actualCost`, and those of `plugins`. */
  readonly plugins: readonly Plugin[];
  /** In the order in which they judge a response. */
  readonly inspectors: readonly Inspector[];
  /** The outermost first. */
  readonly wrappers: readonly WrapAttempt[];
  /** True if user code changes the headers of attempts. */
  readonly hasHeaderHooks: boolean;
  /** The observers of the option and of the plugins, as one function. */
  readonly onEvent: Observer | undefined;
  /** The outermost first. */
  readonly middleware: readonly Middleware[];
  /** True if a call of this policy needs nothing before its first failure. */
  readonly isPlain: boolean;
}

/** True if an attempt may follow another one: as a retry, or at once, after a refresh of a token for example. */
export function maySendAgain({ maxRetries, [POLICY]: { inspectors, plugins } }: Policy): boolean {
  return maxRetries > 0 || inspectors.length > 0 || plugins.some((one) => one.failed);
}

/** True if a policy has middleware, which needs a client of promises. */
export function hasMiddleware(policy: Policy): boolean {
  return policy[POLICY].middleware.length > 0;
}

/** The observer of a policy, and those of its plugins. */
export function observerOf(policy: Policy): Observer | undefined {
  return policy[POLICY].onEvent;
}
