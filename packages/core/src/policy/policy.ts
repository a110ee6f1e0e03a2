import {
  type Check,
  callable,
  checkOptions,
  checkPriority,
  having,
  notNegative,
  positive,
  wholeNumber,
  wrongRange,
  wrongType,
} from '../base/check.ts';
import { type Clock, type Random, systemClock, systemRandom } from '../base/clock.ts';
import { type Classify, classifyHttp } from '../http/classify.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { ConcurrencyLimit, PerKey, RetryBudget, TokenBucket } from '../limits/contracts.ts';
import { type BackoffStrategy, memorystore } from './backoff.ts';
import type { Observer } from './events.ts';

/** Which methods may be sent again when the attempt before may have been done. */
export type RetryMethods = 'idempotent' | 'all' | readonly string[];

/** What {@link createPolicy} takes. All is optional. */
export interface PolicyOptions {
  /**
   * Sends after the first; 0 never retries.
   * @default the `maxRetries` of the backoff rule, if it ends by itself; else 5
   */
  readonly maxRetries?: number | undefined;
  /**
   * How long to wait before each retry.
   * @default memorystore()
   */
  readonly backoff?: BackoffStrategy | undefined;
  /**
   * How an outcome is read.
   * @default classifyHttp
   */
  readonly classify?: Classify | undefined;
  /**
   * Which methods may go again after a `transient` outcome, when the attempt may have been done: those that
   * RFC 9110 calls idempotent, and any request with an `Idempotency-Key`; all; or just those of a list.
   * @default 'idempotent'
   */
  readonly methods?: RetryMethods | undefined;
  /**
   * A `Retry-After` beyond this ends the retries, in milliseconds: never earlier than asked, never for days.
   * @default 600_000
   */
  readonly maxRetryAfterMs?: number | undefined;
  /** How long one attempt may take, in milliseconds. Running out of it is a `transient` outcome. */
  readonly attemptTimeoutMs?: number | undefined;
  /**
   * No attempt starts later than this after the call, in milliseconds, whatever it waited for: backoff, the
   * connection, a slot, tokens. A wait that would last longer is not begun.
   */
  readonly totalTimeoutMs?: number | undefined;
  /** Every attempt takes tokens from it, or from that of its key. */
  readonly bucket?: TokenBucket | PerKey<TokenBucket> | undefined;
  /** Every attempt holds a slot of it, or of that of its key, until the body of its response has ended. */
  readonly concurrency?: ConcurrencyLimit | PerKey<ConcurrencyLimit> | undefined;
  /** Every retry withdraws from it, or from that of its key. */
  readonly budget?: RetryBudget | PerKey<RetryBudget> | undefined;
  /**
   * Tokens that an attempt takes.
   * @default 1
   */
  readonly cost?: number | ((request: RequestTraits) => number) | undefined;
  /**
   * Which waiting requests go first: a whole number from -7 to 7, the higher before the lower. A retry goes
   * before new requests of its priority.
   * @default 0
   */
  readonly priority?: number | undefined;
  /** The key for a `bucket`, `concurrency` or `budget` that there is one of for each key, in place of its own. */
  readonly key?: string | undefined;
  /**
   * The longest wait of an attempt for its tokens and its slot together, in milliseconds; one that would take
   * longer is refused at once, as far as that can be known.
   */
  readonly maxWaitMs?: number | undefined;
  /** Called with every attempt, wait, retry and end. It cannot change anything: see {@link Observer}. */
  readonly onEvent?: Observer | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default Math.random */
  readonly random?: Random | undefined;
}

declare const policyBrand: unique symbol;

/** Options that were found good, with every default in its place. Made by {@link createPolicy}. */
export interface Policy {
  readonly [policyBrand]: true;
  /** The number that holds: as given, else that of the backoff rule, else the default. */
  readonly maxRetries: number;
  readonly backoff: BackoffStrategy;
  readonly classify: Classify;
  readonly methods: RetryMethods;
  readonly maxRetryAfterMs: number;
  readonly attemptTimeoutMs: number | undefined;
  readonly totalTimeoutMs: number | undefined;
  readonly bucket: TokenBucket | PerKey<TokenBucket> | undefined;
  readonly concurrency: ConcurrencyLimit | PerKey<ConcurrencyLimit> | undefined;
  readonly budget: RetryBudget | PerKey<RetryBudget> | undefined;
  readonly cost: number | ((request: RequestTraits) => number);
  readonly priority: number;
  readonly key: string | undefined;
  readonly maxWaitMs: number | undefined;
  readonly onEvent: Observer | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

const checkMethods: Check = (name, value) => {
  const takes = "'idempotent', 'all' or a list of methods";
  if (typeof value === 'string') {
    if (value !== 'idempotent' && value !== 'all') throw wrongRange(name, takes, value);
  } else if (!Array.isArray(value) || !value.every((method) => typeof method === 'string')) {
    throw wrongType(name, takes, value);
  }
};

const checkCost: Check = (name, value) => {
  if (typeof value !== 'function') positive(name, value);
};

/** The one thing, or one of its kind for each key. */
function alsoPerKey(check: Check): Check {
  return (name, value) => {
    if (typeof (value as { for?: unknown } | null | undefined)?.for !== 'function') check(name, value);
  };
}

const checkBackoff: Check = (name, value) => {
  callable(name, value);
  const { maxRetries } = value as BackoffStrategy;
  if (maxRetries !== undefined) wholeNumber(`${name}.maxRetries`, maxRetries);
};

const checkKey: Check = (name, value) => {
  if (typeof value !== 'string') throw wrongType(name, 'a string', value);
};

const CHECKS: Readonly<Record<keyof PolicyOptions, Check>> = {
  maxRetries: wholeNumber,
  backoff: checkBackoff,
  classify: callable,
  methods: checkMethods,
  maxRetryAfterMs: notNegative,
  attemptTimeoutMs: positive,
  totalTimeoutMs: notNegative,
  bucket: alsoPerKey(having('a token bucket', 'tryAcquire', 'acquire')),
  concurrency: alsoPerKey(having('a concurrency limit', 'tryAcquire', 'acquire', 'stats')),
  budget: alsoPerKey(having('a retry budget', 'deposit', 'withdraw')),
  cost: checkCost,
  priority: checkPriority,
  key: checkKey,
  maxWaitMs: notNegative,
  onEvent: callable,
  clock: having('a clock', 'now', 'schedule'),
  random: callable,
};

/** If neither the options nor the backoff rule say how many. */
const DEFAULT_RETRIES = 5;

const DEFAULTS = {
  backoff: memorystore(),
  classify: classifyHttp,
  methods: 'idempotent',
  maxRetryAfterMs: 600_000,
  attemptTimeoutMs: undefined,
  totalTimeoutMs: undefined,
  bucket: undefined,
  concurrency: undefined,
  budget: undefined,
  cost: 1,
  priority: 0,
  key: undefined,
  maxWaitMs: undefined,
  onEvent: undefined,
  clock: systemClock,
  random: systemRandom,
} as const;

/**
 * Marks a policy. Shared by every copy of this package in a program, so that each knows the other's policies. Holds
 * what was given that the policy itself does not show.
 */
const POLICY: unique symbol = Symbol.for('@ebb/core policy') as never;

interface Given {
  /** `undefined` if the number is that of the backoff rule: a request with another rule has that one's. */
  readonly maxRetries: number | undefined;
}

function isPolicy(value: object): value is Policy {
  return POLICY in value;
}

function build(caller: string, base: object, options: PolicyOptions): Policy {
  checkOptions(caller, options, CHECKS);
  const maxRetries = options.maxRetries ?? (base as { readonly [POLICY]?: Given })[POLICY]?.maxRetries;
  const policy: Record<PropertyKey, unknown> = { ...base, [POLICY]: { maxRetries } satisfies Given };
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) policy[name] = value;
  }
  policy.maxRetries = maxRetries ?? (policy.backoff as BackoffStrategy).maxRetries ?? DEFAULT_RETRIES;
  // A list is copied, so that later changes to it do not reach in here; methods are compared in upper case.
  if (Array.isArray(policy.methods)) {
    policy.methods = Object.freeze(policy.methods.map((method: string) => method.toUpperCase()));
  }
  return Object.freeze(policy) as unknown as Policy;
}

/**
 * The rules for sending and sending again. One policy given to several clients shares its bucket and its
 * budget among them. A policy given in place of options comes back as it is.
 *
 * @throws TypeError for an unknown option or a value of the wrong kind
 * @throws RangeError for a number out of range
 * @example
 * ```ts
 * import { createPolicy, retryBudget, tokenBucket } from '@ebb/core';
 *
 * const policy = createPolicy({
 *   maxRetries: 3,
 *   totalTimeoutMs: 30_000,
 *   bucket: tokenBucket({ refillPerSecond: 50 }),
 *   budget: retryBudget(),
 * });
 * ```
 */
export function createPolicy(options: PolicyOptions | Policy = {}): Policy {
  if (typeof options === 'object' && options !== null && isPolicy(options)) return options;
  return build('createPolicy', DEFAULTS, options);
}

/**
 * The policy with some options changed for one request. What is not named is shared with the policy.
 *
 * @throws TypeError, RangeError as {@link createPolicy} does
 */
export function overridePolicy(policy: Policy, options: PolicyOptions): Policy {
  return build('ebb', policy, options);
}
