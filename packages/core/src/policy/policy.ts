import { devText, inDevelopment } from '#dev-text';
import { BY_DEFAULT } from '../backoff/curves.ts';
import type { BackoffStrategy } from '../backoff/strategy.ts';
import {
  type Check,
  callable,
  checkPriority,
  nameOf,
  notNegative,
  oneOf,
  positive,
  wholeNumber,
  withMethods,
} from '../base/check.ts';
import { CLOCK_OPTION, ownClock, RANDOM_OPTION } from '../base/clock.ts';
import { callObserver } from '../base/errors.ts';
import { type Complete, must, type OptionTable, readChanges, readOptions } from '../base/options.ts';
import type { Observer } from '../events/events.ts';
import { classifyHttp } from '../http/classify.ts';
import { checkFeedback, plainFeedback } from '../http/feedback.ts';
import { checkCost, checkKey } from './cost.ts';
import { limitIn } from './limit.ts';
import type { BringsLimit, ChecksCalls, TokenBucket } from './limit-options.ts';
import { inOrder } from './middleware.ts';
import {
  type Inside,
  POLICY,
  type Policy,
  type PolicyOptions,
  type RetryAfterOptions,
  type UnsetOptions,
} from './options.ts';
import type { CostReader, Inspector, Plugin } from './plugin.ts';
import { checkTrusted } from './trust.ts';

/** A list of methods, or one of these words. */
export function methodsOr(takes: string | undefined, ...words: readonly string[]): Check {
  return (name, value) => {
    const hasType = [value].flat().every((method) => typeof method === 'string');
    must(name, takes, value, hasType, typeof value !== 'string' || words.includes(value));
  };
}

const checkMethods: Check = /* @__PURE__ */ methodsOr(
  devText("'idempotent', 'all', a list of methods, or a function"),
  'idempotent',
  'all',
);

const checkIdempotencyKey: Check = (name, value) =>
  inDevelopment(() => must(name, 'true or a function', value, value === true || typeof value === 'function'));

/** A check by what a value has: a limit brings its code, or is an object of the user's own, and an inspector can judge. */
function checkBy(takes: string | undefined, isBrought: (value: never) => unknown): Check {
  return (name, value) => {
    const fits = Boolean(isBrought(Object(value) as never));
    // Without its code it would limit nothing, and no error would tell.
    must(name, takes, value, fits, fits);
  };
}

const bringsLimit = ({ limit }: BringsLimit): boolean => Object(limit?.limit) === limit?.limit;
const canJudge = ({ judge }: Inspector): boolean => typeof judge === 'function';

/** A list whose members are checked one by one. */
function listOf(takes: string | undefined, check: Check): Check {
  return (name, value) => {
    inDevelopment(() => must(name, takes, value, Array.isArray(value)));
    for (const [index, one] of (value as readonly unknown[]).entries()) check(`${name}[${index}]`, one);
  };
}

const LIMITS_ROW = { check: listOf(devText('a list of limits'), checkBy(devText('a limit'), limitIn)) };
const MIDDLEWARE_ROW = { check: listOf(devText('a list of functions'), callable) };
const INSPECT_ROW = { check: checkBy(devText('what inspectBody returns'), canJudge) };
const CALLABLE = { check: callable };

/** The fields of a plugin. */
const PLUGIN: Readonly<Record<keyof Plugin, { readonly check: Check }>> = {
  name: { check: checkKey },
  checkCalls: CALLABLE,
  started: CALLABLE,
  beforeAttempt: CALLABLE,
  publicHeaders: CALLABLE,
  wrapAttempt: CALLABLE,
  inspect: INSPECT_ROW,
  failed: CALLABLE,
  onEvent: CALLABLE,
  limits: LIMITS_ROW,
  middleware: MIDDLEWARE_ROW,
  ended: CALLABLE,
};

/** A hook whose name is wrong would not be called, and no error would tell. */
const checkPlugins: Check = listOf(devText('a list of plugins'), (name, value) => {
  readChanges(name, value as Plugin, PLUGIN);
  checkKey(nameOf(name, 'name'), (value as Plugin).name);
});

const checkRetries: Check = (name, value) => value === Infinity || wholeNumber(name, value);

/** @throws RangeError with the given `maxRetries` if nothing ends a call with endless retries */
function mustEnd(caller: string, policy: Policy, { maxRetries }: PolicyOptions): Policy {
  const { totalTimeoutMs, budget, stopSignal } = policy;
  const takes = devText('a whole number ≥ 0 without a totalTimeoutMs, a budget or a stopSignal');
  const ends = (totalTimeoutMs ?? budget ?? stopSignal ?? maxRetries) !== Infinity;
  must(`${caller}: maxRetries`, takes, maxRetries, true, ends);
  return policy;
}

/** The default of `retryAfter`. */
const RETRY_AFTER: Complete<RetryAfterOptions> = { maxMs: 600_000, then: 'stop' };

const checkRetryAfter: Check = (name, value) =>
  readChanges(name, value as RetryAfterOptions, {
    maxMs: { check: notNegative },
    then: { check: oneOf('stop', 'cap') },
  });

const checkStopSignal: Check = (name, value) =>
  inDevelopment(() => withMethods('an AbortSignal', 'addEventListener', 'removeEventListener')(name, value));

const checkBackoff: Check = (name, value) => {
  callable(name, value);
  const { maxRetries }: Partial<BackoffStrategy> = Object(value);
  if (maxRetries !== undefined) wholeNumber(`${name}.maxRetries`, maxRetries);
};

/** The retries of a policy without `maxRetries`: those of the backoff rule, or five. */
function defaultRetries({ backoff }: { readonly backoff: BackoffStrategy }): number {
  return backoff.maxRetries ?? 5;
}

/** How the options of a policy are read. */
const POLICY_OPTIONS: OptionTable<PolicyOptions, UnsetOptions> = {
  maxRetries: { check: checkRetries, defaultOf: defaultRetries },
  backoff: { check: checkBackoff, default: BY_DEFAULT },
  classify: { check: callable, default: classifyHttp },
  feedback: { check: checkFeedback, default: plainFeedback },
  inspect: INSPECT_ROW,
  idempotencyKey: { check: checkIdempotencyKey },
  beforeAttempt: CALLABLE,
  trustedOrigins: { check: checkTrusted },
  wrapAttempt: CALLABLE,
  methods: {
    check: (name, value) => typeof value === 'function' || checkMethods(name, value),
    default: 'idempotent',
  },
  retryAfter: { check: checkRetryAfter, default: RETRY_AFTER },
  attemptTimeoutMs: { check: positive },
  totalTimeoutMs: { check: notNegative },
  totalTimeoutCovers: { check: oneOf('headers', 'body'), default: 'headers' },
  bucket: { check: checkBy(devText('a token bucket'), bringsLimit) },
  concurrency: { check: checkBy(devText('a concurrency limit'), bringsLimit) },
  budget: { check: checkBy(devText('a retry budget'), bringsLimit) },
  throttle: { check: checkBy(devText('adaptiveThrottle(…)'), bringsLimit) },
  actualCost: {
    check: checkBy(devText('costFromResponse(…)'), ({ inspect }: CostReader) => canJudge(Object(inspect))),
  },
  limits: LIMITS_ROW,
  middleware: MIDDLEWARE_ROW,
  plugins: { check: checkPlugins },
  cost: { check: checkCost, default: 1 },
  priority: { check: checkPriority, default: 0 },
  key: { check: checkKey },
  fairKey: {
    check: (name, value) => inDevelopment(() => typeof value === 'function' || checkKey(name, value)),
  },
  maxWaitMs: { check: notNegative },
  stopSignal: { check: checkStopSignal },
  onEvent: CALLABLE,
  clock: CLOCK_OPTION,
  random: RANDOM_OPTION,
};

/** A list is copied: changing it later must not change the policy. */
function freezeCopy<T>(list: T, of: (one: never) => unknown = (one) => one): T {
  return Array.isArray(list) ? (Object.freeze(list.map((one) => of(one as never))) as T) : list;
}

/** The options whose values bring limits, in the order in which an attempt takes from them. The user's own follow the first. */
const LIMITS = ['throttle', 'concurrency', 'bucket', 'budget'] as const;

type Options = Complete<PolicyOptions, UnsetOptions>;

/** Options that may stay unset have a check alone. A call of a policy without them needs nothing before its first failure. */
const UNSET: readonly UnsetOptions[] = /* @__PURE__ */ (Object.keys(POLICY_OPTIONS) as UnsetOptions[]).filter(
  (name) => Object.keys(POLICY_OPTIONS[name]).length === 1,
);

/** Collects the hooks, limits and middleware of a policy and its plugins. */
function addedBy(
  setup: Options,
  plugins: readonly Plugin[] = [],
): Omit<Inside, 'maxRetries' | 'feedback' | 'isPlain'> {
  const { inspect, actualCost, beforeAttempt, idempotencyKey } = setup;
  const all: readonly Omit<Plugin, 'name'>[] = [setup as Omit<Plugin, 'name'>, ...plugins];
  const [throttle, ...others] = LIMITS.map((name) => setup[name]);
  const limits = [throttle, ...all.flatMap((one) => one.limits ?? []), ...others];
  for (const one of [...limits, ...plugins]) (one as Partial<ChecksCalls> | undefined)?.checkCalls?.(setup);
  return {
    limits: limits.flatMap((one) => limitIn(one) ?? []),
    plugins: actualCost ? [actualCost, ...plugins] : plugins,
    inspectors: [...plugins, { inspect }, { ...actualCost }].flatMap((one) => one.inspect ?? []),
    wrappers: all.flatMap((one) => one.wrapAttempt ?? []),
    middleware: inOrder(all.flatMap((one) => one.middleware ?? [])),
    onEvent: combineObservers(all.flatMap((one) => one.onEvent ?? [])),
    hasHeaderHooks:
      (beforeAttempt ?? idempotencyKey) !== undefined ||
      plugins.some((one) => one.beforeAttempt ?? one.publicHeaders),
  };
}

/** Tells several observers, each of which may fail. */
function combineObservers(all: readonly Observer[]): Observer | undefined {
  if (all.length < 2) return all[0];
  return (event) => {
    for (const one of all) callObserver('onEvent', one, event);
  };
}

/** True if a call of the policy needs nothing before its first failure. */
function isPlain(setup: Options): boolean {
  return setup.classify === classifyHttp && UNSET.every((name) => setup[name] === undefined);
}

function seal(
  setup: Options,
  given: Pick<Inside, 'maxRetries' | 'feedback'>,
  before: Complete<RetryAfterOptions> = RETRY_AFTER,
): Policy {
  const plugins = freezeCopy(setup.plugins);
  const bucket: Partial<TokenBucket> | undefined = setup.bucket;
  const { maxMs = before.maxMs, then = before.then } = setup.retryAfter;
  const clock = ownClock(setup.clock);
  const inside: Inside = { ...given, ...addedBy(setup, plugins), isPlain: isPlain(setup) };
  const policy = {
    ...setup,
    plugins,
    maxRetries: given.maxRetries ?? defaultRetries(setup),
    clock,
    feedback: given.feedback ?? (bucket?.feedback || plainFeedback),
    retryAfter: { maxMs, then },
    methods: freezeCopy(setup.methods, (method: string) => method.toUpperCase()),
    trustedOrigins: freezeCopy(setup.trustedOrigins, String),
  };
  // Not enumerable: a copy with changes is not a policy yet, and is validated when it becomes one.
  return Object.freeze(Object.defineProperty(policy, POLICY, { value: inside })) as unknown as Policy;
}

/**
 * Decides whether and when a request is sent, and sent again. After a 429 or 5xx ebb retries up to five times by default,
 * waiting 1, 2, 4 … s plus up to 1 s of jitter, never less than `Retry-After`.
 *
 * Clients that are given the same policy share its bucket, its concurrency limit and its budget. A policy in place of
 * options is returned as it is.
 *
 * @throws TypeError for an unknown option or a value of the wrong type, and for a limit with another clock than the policy
 * @throws RangeError for a wrong value
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
export function createPolicy(options: PolicyOptions = {}): Policy {
  return mustEnd('createPolicy', policyOf(options), options);
}

/** {@link createPolicy} for calls that a signal ends. */
export function policyOf(options: PolicyOptions): Policy {
  if (POLICY in Object(options)) return options as Policy;
  const setup = readOptions<PolicyOptions, UnsetOptions>('createPolicy', options, POLICY_OPTIONS);
  // A copy of a policy has the default, which must not outrank a bucket that it is given.
  const feedback = options.feedback === plainFeedback ? undefined : options.feedback;
  return seal(setup, { maxRetries: options.maxRetries, feedback });
}

/**
 * The policy with some options changed, for one request. The other options are those of the policy.
 *
 * @throws TypeError, RangeError as {@link createPolicy}
 */
export function overridePolicy(policy: Policy, options: PolicyOptions): Policy {
  const changes = readChanges('ebb', options, POLICY_OPTIONS);
  const given = policy[POLICY];
  const { maxRetries = given.maxRetries, feedback = given.feedback } = changes;
  const setup = { ...policy, ...changes } as Policy;
  return mustEnd('ebb', seal(setup, { maxRetries, feedback }, policy.retryAfter), changes);
}
