import { prose } from '#prose';
import type { BackoffStep } from '../backoff/strategy.ts';
import { notNegative, wrongType } from '../base/check.ts';
import { callHook, HookError } from '../base/errors.ts';
import { checkVerdict, isRepeatable } from '../http/classify.ts';
import { type Feedback, readFeedback } from '../http/feedback.ts';
import { withJitter } from '../http/jitter.ts';
import { withJudgement } from '../http/judged.ts';
import type { Outcome, RequestTraits, Verdict } from '../http/outcome.ts';
import { costOf } from './cost.ts';
import type { PlannedRetry } from './part.ts';
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
  /** Asked last: it may take something for the retry, and returns the reason if it must not be sent. */
  permit?(retry: PlannedRetry): StopReason | undefined;
  /** True if every attempt carries the same idempotency key of ebb. */
  readonly isKeyed?: boolean | undefined;
  /** True if an attempt did not carry the idempotency key of the request, or carried another one. */
  readonly isKeyLost?: boolean | undefined;
  /** Attempts that a part has skipped. They count as retries. */
  readonly skipped?: number | undefined;
  /** The tokens that the attempt took; `undefined` if there is no bucket. */
  readonly cost?: number | undefined;
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

/** After a success there is nothing to decide. */
export const SUCCESS: Decision = stop('success');

/**
 * What an outcome means by its body, if `inspect` has judged that, or else by `classify`.
 *
 * @throws HookError if `classify` throws, or returns an invalid value
 */
export function verdictOf(
  policy: Policy,
  outcome: Outcome,
  progress: Pick<Progress, 'request' | 'attempt'>,
): Verdict {
  const verdict = judgedOf(outcome) ?? classified(policy, outcome, progress);
  return verdict === 'refused' ? refusalOf(outcome) : verdict;
}

/** The refusal of a redirect's target says nothing about the first server, which may have carried out the request. */
function refusalOf({ redirected }: Outcome): Verdict {
  return redirected === true ? 'transient' : 'refused';
}

function judgedOf(outcome: Outcome): Verdict | undefined {
  return outcome.type === 'response' ? outcome.judgement?.verdict : undefined;
}

function classified(
  policy: Policy,
  outcome: Outcome,
  { request, attempt }: Pick<Progress, 'request' | 'attempt'>,
): Verdict {
  try {
    const verdict = policy.classify(outcome, request, attempt);
    if (verdict !== 'success') checkVerdict('its result', verdict);
    return verdict;
  } catch (cause) {
    // Of a hook inside of it.
    if (cause instanceof HookError) throw cause;
    throw new HookError('classify', cause);
  }
}

/** A success by its status that `classify` judges otherwise, such as a 202: the wait that it asks for counts. */
function asJudged(outcome: Outcome, verdict: Verdict): Outcome {
  const isSuccess = outcome.type === 'response' && outcome.status < 300 && outcome.judgement === undefined;
  return isSuccess ? withJudgement(outcome, { verdict }) : outcome;
}

/** What the server says besides the status; nothing after a failure. */
function feedbackOf(
  policy: Policy,
  progress: Progress,
  outcome: Outcome,
  nowMs: number,
): Feedback | undefined {
  const { feedback } = policy;
  if (feedback === false || outcome.type !== 'response') return undefined;
  const { cost = costOf(policy, progress.request) } = progress;
  return readFeedback(feedback, outcome, nowMs, cost);
}

/** The verdict, changed by what the server says. `isTold`: it says that the request should be sent again. */
function verdictAfter(
  verdict: Verdict,
  outcome: Outcome,
  said: Feedback,
): { verdict: Verdict; isTold: boolean } {
  if (outcome.type !== 'response' || said.shouldRetry === false) return { verdict: 'final', isTold: false };
  const isJudged = outcome.judgement?.verdict !== undefined;
  // Of a redirect's target: the first server has not said it.
  const isTold =
    said.shouldRetry === true && outcome.redirected !== true && !(isJudged && verdict === 'final');
  if (verdict !== 'final' || isJudged) return { verdict, isTold };
  if (isTold) return { verdict: 'transient', isTold };
  const isLimit = (outcome.status === 403 || outcome.status === 413) && waitOf(said) > 0;
  return { verdict: isLimit ? refusalOf(outcome) : 'final', isTold };
}

function waitOf({ waitMs, pauseMs }: Feedback): number {
  const askedMs = waitMs ?? pauseMs;
  // A custom `feedback` may return something that is not a number.
  if (askedMs > 0) return askedMs;
  return 0;
}

function backoffOf(policy: Policy, step: BackoffStep): number | undefined {
  return callHook('backoff', () => {
    const delayMs = policy.backoff(step);
    if (delayMs !== undefined) notNegative('its result', delayMs);
    return delayMs;
  });
}

/** The request without the idempotency key that its attempts did not carry. */
function withoutKey(request: RequestTraits): RequestTraits {
  return {
    method: request.method,
    url: request.url,
    replayable: request.replayable,
    header: (name) => (name === 'idempotency-key' ? undefined : request.header(name)),
    get body() {
      return request.body;
    },
  };
}

/**
 * True if the policy allows to repeat a request that the server may have carried out.
 *
 * @throws HookError if `methods` throws, or returns something else than true or false
 */
function mayBeRepeated({ methods }: Policy, request: RequestTraits): boolean {
  if (methods === 'all') return true;
  if (typeof methods === 'function') {
    return callHook('methods', () => {
      const may: unknown = methods(request);
      // A promise is true in every condition.
      if (typeof may !== 'boolean') throw wrongType('its result', prose('true or false, at once'), may);
      return may;
    });
  }
  return methods === 'idempotent' ? isRepeatable(request) : methods.includes(request.method.toUpperCase());
}

/** The wait that `inspect` has found, also if `feedback` does not pass it on. */
function judgedWaitMs(outcome: Outcome): number {
  return (outcome.type === 'response' ? outcome.judgement?.waitMs : undefined) ?? 0;
}

function isAbort(outcome: Outcome): boolean {
  return outcome.type === 'failure' && outcome.kind === 'aborted';
}

/**
 * Decides whether a request is sent again, when, and why. It reads no clock and does not wait. Its only side effect is that of
 * {@link Progress.permit}, which is asked last, so that a retry that is denied for another reason costs nothing.
 *
 * @throws HookError if a hook of the policy throws, or returns an invalid value
 */
export function decide(policy: Policy, progress: Progress, outcome: Outcome, nowMs: number): Decision {
  const verdict = verdictOf(policy, outcome, progress);
  return verdict === 'success' ? SUCCESS : decideRetry(policy, progress, outcome, verdict, nowMs);
}

/** {@link decide} after anything else. */
export function decideRetry(
  policy: Policy,
  progress: Progress,
  outcome: Outcome,
  before: Exclude<Verdict, 'success'>,
  nowMs: number,
): Decision {
  const { request, startedAtMs = nowMs, previousBackoffMs } = progress;
  const attempt = progress.attempt + (progress.skipped ?? 0);
  const said = feedbackOf(policy, progress, asJudged(outcome, before), nowMs);
  const { verdict, isTold } =
    said === undefined ? { verdict: before, isTold: false } : verdictAfter(before, outcome, said);
  if (verdict === 'final' || verdict === 'success') return stop(isAbort(outcome) ? 'aborted' : 'final');
  if (verdict !== 'refused' && !isTold && progress.isKeyed !== true) {
    if (!mayBeRepeated(policy, progress.isKeyLost ? withoutKey(request) : request))
      return stop('not-idempotent');
  }
  if (!request.replayable) return stop('not-replayable');
  if (attempt > policy.maxRetries) return stop('retries-exhausted');

  const { random } = policy;
  const backoffMs = backoffOf(policy, { retry: attempt, previousDelayMs: previousBackoffMs, random });
  if (backoffMs === undefined) return stop('backoff-exhausted');
  const askedMs = Math.max(said === undefined ? 0 : waitOf(said), judgedWaitMs(outcome));
  if (askedMs > policy.maxRetryAfterMs) return stop('retry-after-too-long');
  const delayMs = askedMs > backoffMs ? withJitter(askedMs, random) : backoffMs;

  const { totalTimeoutMs } = policy;
  if (totalTimeoutMs !== undefined && nowMs + delayMs > startedAtMs + totalTimeoutMs) {
    return stop('deadline-exceeded');
  }
  const refusal = progress.permit?.({ reason: verdict, delayMs });
  return refusal === undefined ? { retry: true, reason: verdict, delayMs, backoffMs } : stop(refusal);
}
