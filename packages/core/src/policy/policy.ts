import { type Complete, readChanges, readOptions } from '../base/options.ts';
import { ownClock } from '../base/own-clock.ts';
import { bindClock } from '../limits/bind-clock.ts';
import {
  defaultRetries,
  POLICY_OPTIONS,
  type PolicyOptions,
  type RetryMethods,
  type UnsetOptions,
} from './options.ts';

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

interface Given {
  /** `undefined` if the number is that of the backoff rule: a request that overrides the rule gets that rule's number. */
  readonly maxRetries: number | undefined;
}

function isPolicy(value: object): value is Policy {
  return POLICY in value;
}

/** A list of methods is copied: changing it later must not change the policy. */
function frozenMethods(methods: RetryMethods): RetryMethods {
  if (typeof methods === 'string' || typeof methods === 'function') return methods;
  return Object.freeze(methods.map((method) => method.toUpperCase()));
}

function seal(setup: Complete<PolicyOptions, UnsetOptions>, given: Given): Policy {
  const maxRetries = given.maxRetries ?? defaultRetries(setup);
  const clock = ownClock(setup.clock);
  for (const limit of [setup.bucket, setup.concurrency, setup.budget])
    bindClock(limit, clock, setup.priority);
  const policy = { ...setup, maxRetries, clock, methods: frozenMethods(setup.methods) };
  // Not enumerable: a copy with changes is not a policy yet, and is validated when it becomes one.
  Object.defineProperty(policy, POLICY, { value: given });
  return Object.freeze(policy) as unknown as Policy;
}

/**
 * Decides whether and when a request is sent, and sent again. After a 429 or 5xx ebb retries up to five times by default,
 * waiting 1, 2, 4 … s plus up to 1 s of jitter, never less than `Retry-After`.
 *
 * Clients that are given the same policy share its bucket, its concurrency limit and its budget. A policy in place of
 * options is returned as it is.
 *
 * @throws TypeError for an unknown option or a value of the wrong type, and for a limit that has taken the clock of another policy
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
  if (typeof options === 'object' && options !== null && isPolicy(options)) return options;
  const setup = readOptions<PolicyOptions, UnsetOptions>('createPolicy', options, POLICY_OPTIONS);
  return seal(setup, { maxRetries: options.maxRetries });
}

/**
 * The policy with some options changed, for one request. The other options are those of the policy.
 *
 * @throws TypeError, RangeError as {@link createPolicy}
 */
export function overridePolicy(policy: Policy, options: PolicyOptions): Policy {
  const changes = readChanges('ebb', options, POLICY_OPTIONS);
  const { maxRetries = (policy as unknown as { readonly [POLICY]: Given })[POLICY].maxRetries } = changes;
  return seal({ ...policy, ...changes } as Policy, { maxRetries });
}
