import { devText, inDevelopment } from '#dev-text';
import { type BackoffStrategy, BY_DEFAULT } from '../backoff/curves.ts';
import {
  type Check,
  callable,
  checkPriority,
  having,
  notNegative,
  oneOf,
  positive,
  wholeNumber,
} from '../base/check.ts';
import { CLOCK_OPTION, ownClock, RANDOM_OPTION } from '../base/clock.ts';
import { type Complete, must, type OptionTable, readChanges, readOptions } from '../base/options.ts';
import { classifyHttp } from '../http/classify.ts';
import { checkFeedback, plainFeedback } from '../http/feedback.ts';
import { checkCost, checkKey } from './contracts.ts';
import { checkTrusted } from './hooks.ts';
import type { BroughtLimit } from './limit.ts';
import {
  type Inside,
  insideOf,
  POLICY,
  type Policy,
  type PolicyOptions,
  type RetryAfterOptions,
  type UnsetOptions,
} from './options.ts';
import { type ChecksCalls, type Part, PLACES, type Place, type TokenBucket } from './part.ts';

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

/** Limits bring their code: one of the user's own has to be made one. */
function bringing(takes: string | undefined): Check {
  return (name, value) => {
    const { part, limit }: Partial<Brings> = Object(value);
    const isBrought = typeof part?.begin === 'function' || typeof limit?.startIn === 'function';
    // Without its code it would limit nothing, and no error would tell.
    must(name, takes, value, isBrought, isBrought);
  };
}

const checkUse: Check = (name, value) => {
  inDevelopment(() => must(name, 'a list of parts', value, Array.isArray(value)));
  for (const [index, part] of (value as readonly Part[]).entries()) {
    inDevelopment(() => having('a part', 'begin')(`${name}[${index}]`, part));
    // One that stands around calls has none of these places, and comes first.
    if (!part.answering) oneOf(...PLACES)(`${name}[${index}].place`, part.place);
  }
};

const checkRetries: Check = (name, value) => value === Infinity || wholeNumber(name, value);

/** @throws RangeError if nothing ends a call that is repeated for ever, with the `maxRetries` that the policy was given */
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
  inDevelopment(() => having('an AbortSignal', 'addEventListener', 'removeEventListener')(name, value));

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
  inspect: { check: bringing(devText('what inspectBody returns')) },
  idempotencyKey: { check: checkIdempotencyKey },
  beforeAttempt: { check: callable },
  trustedOrigins: { check: checkTrusted },
  wrapAttempt: { check: callable },
  methods: {
    check: (name, value) => typeof value === 'function' || checkMethods(name, value),
    default: 'idempotent',
  },
  retryAfter: { check: checkRetryAfter, default: RETRY_AFTER },
  attemptTimeoutMs: { check: positive },
  totalTimeoutMs: { check: notNegative },
  totalTimeoutCovers: { check: oneOf('headers', 'body'), default: 'headers' },
  bucket: { check: bringing(devText('a token bucket, or ownBucket(…)')) },
  concurrency: { check: bringing(devText('a concurrency limit, or ownLimit(…)')) },
  budget: { check: bringing(devText('a retry budget, or ownBudget(…)')) },
  throttle: { check: bringing(devText('throttle(…)')) },
  actualCost: { check: bringing(devText('readCost(…)')) },
  use: { check: checkUse },
  cost: { check: checkCost, default: 1 },
  priority: { check: checkPriority, default: 0 },
  key: { check: checkKey },
  fairKey: {
    check: (name, value) => inDevelopment(() => typeof value === 'function' || checkKey(name, value)),
  },
  maxWaitMs: { check: notNegative },
  stopSignal: { check: checkStopSignal },
  onEvent: { check: callable },
  clock: CLOCK_OPTION,
  random: RANDOM_OPTION,
};

/** A list is copied: changing it later must not change the policy. */
function frozen<T>(list: T, of: (text: string) => string = String): T {
  return Array.isArray(list) ? (Object.freeze(list.map((text) => of(text))) as T) : list;
}

/** The options whose values bring limits, in the order in which an attempt takes from them, and plugins. */
const LIMITS = ['throttle', 'concurrency', 'bucket', 'budget'] as const;
const PLUGINS = ['inspect', 'actualCost'] as const;

/** The value of an option that brings its limit and its part. */
interface Brings extends Partial<ChecksCalls> {
  readonly limit: BroughtLimit;
  readonly part: Part;
}

type Options = Complete<PolicyOptions, UnsetOptions>;

/** Options that may stay unset have a check alone. A call of a policy without them needs nothing before its first failure. */
const UNSET: readonly UnsetOptions[] = /* @__PURE__ */ (Object.keys(POLICY_OPTIONS) as UnsetOptions[]).filter(
  (name) => Object.keys(POLICY_OPTIONS[name]).length === 1,
);

/** The limits and parts that the options of a policy bring. */
function broughtBy(setup: Options): Omit<Inside, 'maxRetries' | 'feedback' | 'isPlain'> {
  const use = setup.use ?? [];
  const [throttle, ...others] = LIMITS.map((name) => setup[name] as Brings | undefined);
  const brought = PLUGINS.flatMap((name) => setup[name] ?? []);
  const checking: Partial<ChecksCalls>[] = [throttle, ...others, ...use].filter((one) => one !== undefined);
  for (const one of checking) one.checkCalls?.(setup);
  const own = use.filter(({ limit }) => limit);
  const limits = [throttle, ...own, ...others].flatMap((one) => one?.limit ?? []);
  const plugins = [...brought.map(({ part }) => part), ...use].filter(
    ({ limit, answering }) => !limit && !answering,
  );
  plugins.sort((one, other) => PLACES.indexOf(one.place as Place) - PLACES.indexOf(other.place as Place));
  return {
    limits,
    plugins,
    answering: use.filter(({ answering }) => answering),
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
  const bucket: Partial<TokenBucket> | undefined = setup.bucket;
  const { maxMs = before.maxMs, then = before.then } = setup.retryAfter;
  const clock = ownClock(setup.clock);
  const inside: Inside = { ...given, ...broughtBy(setup), isPlain: isPlain(setup) };
  const policy = {
    ...setup,
    maxRetries: given.maxRetries ?? defaultRetries(setup),
    clock,
    feedback: given.feedback ?? (bucket?.feedback || plainFeedback),
    retryAfter: { maxMs, then },
    methods: frozen(setup.methods, (method) => method.toUpperCase()),
    trustedOrigins: frozen(setup.trustedOrigins),
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
  const given = insideOf(policy);
  const { maxRetries = given.maxRetries, feedback = given.feedback } = changes;
  const setup = { ...policy, ...changes } as Policy;
  return mustEnd('ebb', seal(setup, { maxRetries, feedback }, policy.retryAfter), changes);
}
