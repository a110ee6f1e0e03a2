import { notNegative, oneOf } from '../base/check.ts';
import { callHook, HookError } from '../base/errors.ts';
import { isIdempotent, type Verdict } from '../http/classify.ts';
import { withJitter } from '../http/jitter.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { RetryBudget } from '../limits/contracts.ts';
import type { BackoffStep } from './backoff/strategy.ts';
import type { Policy } from './policy.ts';
import type { RetryReason, StopReason } from './reason.ts';

/** The state of a request when an attempt has ended. */
export interface Progress {
  readonly request: RequestTraits;
  /** The attempt that the outcome belongs to, from 1. */
  readonly attempt: number;
  /** When the call began, in milliseconds since the epoch; `undefined` if the policy has no total timeout. */
  readonly startedAtMs: number | undefined;
  /** The delay that the backoff rule returned for the retry before, in milliseconds; `undefined` at the first. */
  readonly previousBackoffMs: number | undefined;
  /** What retries are withdrawn from; `undefined` if the policy has no budget. */
  readonly budget: RetryBudget | undefined;
}

/** What to do after an attempt. `backoffMs` is the result of the backoff rule, `delayMs` the delay before the retry. */
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

/** @throws HookError if `classify` throws, or returns an invalid value */
export function verdictOf(policy: Policy, outcome: Outcome): Verdict {
  try {
    const verdict = policy.classify(outcome);
    if (verdict === 'success') return verdict;
    checkVerdict('its result', verdict);
    // The refusal of a redirect's target says nothing about the first server, which may have carried out the request.
    return verdict === 'refused' && outcome.redirected === true ? 'transient' : verdict;
  } catch (cause) {
    throw new HookError('classify', cause);
  }
}

function backoffOf(policy: Policy, step: BackoffStep): number | undefined {
  return callHook('backoff', () => {
    const delayMs = policy.backoff(step);
    if (delayMs !== undefined) notNegative('its result', delayMs);
    return delayMs;
  });
}

/** True if the policy allows to repeat a request that the server may have carried out. */
function mayBeRepeated({ methods }: Policy, request: RequestTraits): boolean {
  if (methods === 'all') return true;
  const method = request.method.toUpperCase();
  if (methods !== 'idempotent') return methods.includes(method);
  // An empty key does not identify a request.
  return isIdempotent(method) || Boolean(request.header('idempotency-key')?.trim());
}

function isAbort(outcome: Outcome): boolean {
  return outcome.type === 'failure' && outcome.kind === 'aborted';
}

/**
 * Decides whether a request is sent again, when, and why. It reads no clock and does not wait. Its only side effect is on
 * the budget, which is asked last, so that a retry that is denied for another reason costs nothing.
 *
 * @throws HookError if `classify` or `backoff` throws, or returns an invalid value
 */
export function decide(policy: Policy, progress: Progress, outcome: Outcome, nowMs: number): Decision {
  const verdict = verdictOf(policy, outcome);
  return verdict === 'success' ? succeed(progress) : decideRetry(policy, progress, outcome, verdict, nowMs);
}

/** {@link decide} after a success, which needs no time. */
export function succeed({ budget }: Progress): Decision {
  budget?.deposit();
  return SUCCESS;
}

/** {@link decide} after anything else. */
export function decideRetry(
  policy: Policy,
  progress: Progress,
  outcome: Outcome,
  verdict: Exclude<Verdict, 'success'>,
  nowMs: number,
): Decision {
  const { request, attempt, startedAtMs = nowMs, previousBackoffMs, budget } = progress;
  if (verdict === 'final') return stop(isAbort(outcome) ? 'aborted' : 'final');
  if (verdict === 'transient' && !mayBeRepeated(policy, request)) return stop('not-idempotent');
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
