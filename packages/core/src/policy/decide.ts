import { notNegative, oneOf } from '../base/check.ts';
import { callHook } from '../base/errors.ts';
import { isIdempotent, type Verdict } from '../http/classify.ts';
import { withJitter } from '../http/jitter.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { RetryBudget } from '../limits/contracts.ts';
import type { BackoffStep } from './backoff/strategy.ts';
import type { Policy } from './policy.ts';
import type { RetryReason, StopReason } from './reason.ts';

/** Where a request stands. */
export interface Progress {
  readonly request: RequestTraits;
  /** The attempt that the outcome belongs to, from 1. */
  readonly attempt: number;
  readonly startedAtMs: number;
  /** What the backoff rule returned for the retry before; `undefined` at the first. */
  readonly previousBackoffMs: number | undefined;
  /** What retries are withdrawn from, if the policy has one. */
  readonly budget: RetryBudget | undefined;
}

/** What to do after an attempt. `backoffMs` is the rule's own answer, `delayMs` what is to be waited. */
export type Decision =
  | {
      readonly retry: true;
      readonly reason: RetryReason;
      readonly delayMs: number;
      readonly backoffMs: number;
    }
  | { readonly retry: false; readonly reason: StopReason };

function stop(reason: StopReason): Decision {
  return { retry: false, reason };
}

const SUCCESS: Decision = stop('success');

const checkVerdict = oneOf('success', 'refused', 'transient', 'final');

function verdictOf(policy: Policy, outcome: Outcome): Verdict {
  return callHook('classify', () => {
    const verdict = policy.classify(outcome);
    checkVerdict('its result', verdict);
    // What a redirect led to says nothing of the request: the server that was asked may have done it.
    return verdict === 'refused' && outcome.redirected === true ? 'transient' : verdict;
  });
}

function backoffOf(policy: Policy, step: BackoffStep): number | undefined {
  return callHook('backoff', () => {
    const delayMs = policy.backoff(step);
    if (delayMs !== undefined) notNegative('its result', delayMs);
    return delayMs;
  });
}

/** Whether doing this request twice is as good as once, as far as the policy cares. */
function mayBeDoneTwice({ methods }: Policy, request: RequestTraits): boolean {
  if (methods === 'all') return true;
  const method = request.method.toUpperCase();
  if (methods !== 'idempotent') return methods.includes(method);
  // An empty key is none: no server can tell requests apart by it.
  return isIdempotent(method) || Boolean(request.header('idempotency-key')?.trim());
}

function isAbort(outcome: Outcome): boolean {
  return outcome.type === 'failure' && outcome.kind === 'aborted';
}

/**
 * Whether the request is sent again, when, and why. Reads no clock and waits for nothing; the one thing that
 * it changes is the budget, and last, so that a denied retry costs nothing.
 *
 * @throws HookError when `classify` or `backoff` throws, or answers what it may not
 */
export function decide(policy: Policy, progress: Progress, outcome: Outcome, nowMs: number): Decision {
  const { request, attempt, startedAtMs, previousBackoffMs, budget } = progress;
  const verdict = verdictOf(policy, outcome);
  if (verdict === 'success') {
    budget?.deposit();
    return SUCCESS;
  }
  if (verdict === 'final') return stop(isAbort(outcome) ? 'aborted' : 'final');
  if (verdict === 'transient' && !mayBeDoneTwice(policy, request)) return stop('not-idempotent');
  if (!request.replayable) return stop('not-replayable');
  if (attempt > policy.maxRetries) return stop('retries-exhausted');

  const { random } = policy;
  const backoffMs = backoffOf(policy, { retry: attempt, previousDelayMs: previousBackoffMs, random });
  if (backoffMs === undefined) return stop('backoff-exhausted');
  const askedMs = retryAfterMs(outcome, nowMs) ?? 0;
  if (askedMs > policy.maxRetryAfterMs) return stop('retry-after-too-long');
  const delayMs = askedMs > backoffMs ? withJitter(askedMs, random) : backoffMs;

  const { totalTimeoutMs } = policy;
  if (totalTimeoutMs !== undefined && nowMs + delayMs > startedAtMs + totalTimeoutMs) {
    return stop('deadline-exceeded');
  }
  if (budget?.withdraw() === false) return stop('budget-exhausted');
  return { retry: true, reason: verdict, delayMs, backoffMs };
}
