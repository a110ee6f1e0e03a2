import { ownClock } from '../base/clock.ts';
import { type Complete, readChanges, readOptions } from '../base/options.ts';
import { classifyHttp } from '../http/classify.ts';
import { plainFeedback, type ReadFeedback } from '../http/feedback.ts';
import type { ChecksCalls, OwnBucket } from './contracts.ts';
import { defaultRetries, POLICY_OPTIONS, UNSET } from './option-table.ts';
import type { PolicyOptions, UnsetOptions } from './options.ts';
import { type Part, PLACES } from './part.ts';

type PolicyParts = Complete<PolicyOptions, UnsetOptions>;

declare const policyBrand: unique symbol;

/** Validated options with all defaults applied. Made by {@link createPolicy}, and frozen. */
export interface Policy extends Complete<PolicyOptions, UnsetOptions> {
  readonly [policyBrand]: true;
}

/**
 * Marks a policy, and holds what its fields do not show. All copies of this package in a program share this symbol, so
 * that each recognises the policies of the others.
 */
const POLICY: unique symbol = Symbol.for('@ebb/core policy') as never;

/** What a policy's fields do not show. */
export interface Inside {
  /** `undefined` if the number is that of the backoff rule: a request that overrides the rule gets that rule's number. */
  readonly maxRetries: number | undefined;
  /** `undefined` if it is that of the bucket, or the default. */
  readonly feedback: ReadFeedback | false | undefined;
  /** In the order of their places. */
  readonly parts: readonly Part[];
  /** True if a call of this policy needs nothing before its first failure. */
  readonly isPlain: boolean;
  /** The class that sends a call of this policy, if it needs nothing before its first failure but things that its parts take at once. */
  readonly taking: Part['taking'];
}

/** @returns the parts of a policy, and what follows from them */
export function insideOf(policy: Policy): Inside {
  return (policy as unknown as { readonly [POLICY]: Inside })[POLICY];
}

/** A list is copied: changing it later must not change the policy. */
function frozen<T>(list: T, of: (text: string) => string = String): T {
  return Array.isArray(list) ? (Object.freeze(list.map((text) => of(text))) as T) : list;
}

/** The options whose values bring their parts. */
const LIMITS = ['throttle', 'concurrency', 'bucket', 'inspect', 'actualCost', 'budget'] as const;

/** The others that may stay unset: a call of a policy without them needs nothing before its first failure but what its parts ask for. */
const OTHERS = /* @__PURE__ */ UNSET.filter((name) => !LIMITS.includes(name as never));

type LimitInPolicy = { readonly part?: Part } & Partial<ChecksCalls>;

function seal(setup: PolicyParts, given: Pick<Inside, 'maxRetries' | 'feedback'>): Policy {
  const { bucket, use = [] } = setup;
  const clock = ownClock(setup.clock);
  const all: readonly (LimitInPolicy | undefined)[] = LIMITS.map((name) => setup[name]);
  for (const one of all) one?.checkCalls?.(setup);
  const parts = all.flatMap((one) => one?.part ?? []).concat(use);
  parts.sort((one, other) => PLACES.indexOf(one.place) - PLACES.indexOf(other.place));
  const isPlain = setup.classify === classifyHttp && OTHERS.every((name) => setup[name] === undefined);
  const mayTake = isPlain && typeof setup.cost !== 'function' && parts.every(({ taking }) => taking);
  const inside: Inside = {
    ...given,
    parts,
    isPlain: isPlain && parts.length === 0,
    taking: mayTake ? parts[0]?.taking : undefined,
  };
  const policy = {
    ...setup,
    maxRetries: given.maxRetries ?? defaultRetries(setup),
    clock,
    feedback: given.feedback ?? ((bucket as Partial<OwnBucket> | undefined)?.feedback || plainFeedback),
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
export function createPolicy(options: PolicyOptions | Policy = {}): Policy {
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
  return seal({ ...policy, ...changes } as Policy, { maxRetries, feedback });
}
