import { inDevelopment } from '#dev-text';
import type { BackoffStep } from '../backoff/strategy.ts';
import { type Check, notNegative } from '../base/check.ts';
import { callHook, HookError, isPromise } from '../base/errors.ts';
import { must } from '../base/options.ts';
import type { RetryReason, StopReason } from '../events/events.ts';
import { checkVerdict, classifyHttp, isRepeatable } from '../http/classify.ts';
import { readFeedback, withJitter } from '../http/feedback.ts';
import {
  type Feedback,
  type Outcome,
  type RequestTraits,
  type Verdict,
  withAdvice,
} from '../http/outcome.ts';
import type { CallView, PlannedRetry } from '../policy/call-view.ts';
import type { Costs } from '../policy/contracts.ts';
import { costOf } from '../policy/cost.ts';
import type { Policy } from '../policy/options.ts';

/** The state of a request when an attempt has ended. */
export interface DecisionInput {
  readonly request: RequestTraits;
  /** The attempt that the outcome belongs to, from 1. */
  readonly attempt: number;
  /** When the call began, in milliseconds since the epoch; `undefined` if the policy has no total timeout. */
  readonly startedAtMs: number | undefined;
  /** The delay that the backoff rule returned for the retry before, in milliseconds; `undefined` at the first. */
  readonly previousBackoffMs: number | undefined;
  /** Asked last: it may take something for the retry, and returns the reason if it must not be sent. */
  permit?(retry: PlannedRetry): StopReason | undefined;
  /** The idempotency key of the request. */
  readonly key?: CallView['key'];
  /** How many scheduled attempts limits have skipped. */
  readonly skipped?: number | undefined;
  /** True if an attempt was sent again at once, which counts as no retry. */
  readonly wasAtOnce?: boolean | undefined;
  /** The tokens that the attempt took; `undefined` if there is no bucket. */
  readonly cost?: number | Costs | undefined;
}

/**
 * The decision after an attempt. `backoffMs` is the result of the backoff rule, `delayMs` the delay before the retry. Without
 * `backoffMs` a plugin has asked to send the request again at once, which counts as no retry.
 */
export type Decision =
  | {
      readonly retry: true;
      readonly reason: RetryReason;
      readonly delayMs: number;
      readonly backoffMs?: number;
    }
  | { readonly retry: false; readonly reason: StopReason };

/** Any verdict after which something is to be decided. */
type FailureVerdict = Exclude<Verdict, 'success'>;

function stop(reason: StopReason): Decision {
  return { retry: false, reason };
}

/** After a success there is nothing to decide. */
const SUCCESS: Decision = stop('success');

/** The refusal of a redirect's target says nothing about the first server, which may have carried out the request. */
function refusalOf({ redirected }: Outcome): 'refused' | 'transient' {
  return redirected === true ? 'transient' : 'refused';
}

/** A function of its own: a closure in {@link verdictOf} would allocate what it captures for each success. */
function checkClassified(verdict: Verdict): void {
  inDevelopment(() => {
    const takes = 'there at once: what has to wait belongs in inspect';
    must('its result', takes, verdict, !isPromise(verdict));
  });
  checkVerdict('its result', verdict);
}

/**
 * The verdict on an outcome: from an inspector of the response, or else from `classify`.
 *
 * @throws HookError if `classify` throws, or returns an invalid value
 */
export function verdictOf(
  policy: Policy,
  outcome: Outcome,
  { request, attempt }: Pick<DecisionInput, 'request' | 'attempt'>,
): Verdict {
  let verdict = outcome.advice?.verdict;
  if (!verdict) {
    try {
      const { classify } = policy;
      verdict = classify(outcome, request, attempt);
      // The default returns a verdict.
      if (classify !== classifyHttp) checkClassified(verdict);
    } catch (cause) {
      // `classify` may call other hooks, whose errors name them.
      throw cause instanceof HookError ? cause : new HookError('classify', cause);
    }
  }
  return verdict === 'refused' ? refusalOf(outcome) : verdict;
}

/** The feedback of the server besides the status; `undefined` after a failure. */
function feedbackOf(
  policy: Policy,
  input: DecisionInput,
  outcome: Outcome,
  verdict: Verdict,
  nowMs: number,
): Feedback | undefined {
  const { feedback } = policy;
  if (feedback === false || outcome.type !== 'response') return undefined;
  // `classify` may reject a status of success, such as a 202. The wait that the response asks for then counts.
  const isJudgedHere = outcome.status < 300 && !outcome.advice;
  const asJudged = isJudgedHere ? withAdvice(outcome, { verdict }) : outcome;
  return readFeedback(feedback, asJudged, nowMs, input.cost ?? costOf(policy, input.request));
}

/** The wait that is asked for. A custom `feedback` may return NaN. */
function waitOf(said: Feedback | undefined): number {
  return Math.max(0, (said?.waitMs ?? said?.pauseMs) || 0);
}

/**
 * The verdict after the feedback of the server. `shouldRetry: false` makes any verdict final, and a `final` by the body stays.
 * `isTold`: the server asks for a retry.
 */
function verdictAfter(
  verdict: FailureVerdict,
  outcome: Outcome,
  said: Feedback,
  isTold: boolean,
): FailureVerdict {
  if (said.shouldRetry === false) return 'final';
  if (verdict !== 'final' || outcome.type !== 'response' || outcome.advice?.verdict) return verdict;
  if (isTold) return 'transient';
  const isLimit = (outcome.status === 403 || outcome.status === 413) && waitOf(said) > 0;
  return isLimit ? refusalOf(outcome) : verdict;
}

/** How much of a wait that is asked for is waited, in milliseconds; `undefined` if it ends the retries. */
export function capRetryAfter(
  askedMs: number,
  { retryAfter }: Pick<Policy, 'retryAfter'>,
): number | undefined {
  const { maxMs, then } = retryAfter;
  if (askedMs <= maxMs) return askedMs;
  return then === 'cap' ? maxMs : undefined;
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

/** @throws HookError if the rule throws, or returns an invalid value */
export function backoffOf(policy: Pick<Policy, 'backoff'>, step: BackoffStep): number | undefined {
  try {
    const delayMs = policy.backoff(step);
    if (delayMs !== undefined) notNegative('its result', delayMs);
    return delayMs;
  } catch (cause) {
    throw new HookError('backoff', cause);
  }
}

/** A promise is true in every condition. */
const checkMay: Check = (name, may) =>
  inDevelopment(() => must(name, 'true or false, at once', may, typeof may === 'boolean'));

/**
 * True if the policy allows to repeat a request that the server may have carried out.
 *
 * @throws HookError if `methods` throws, or returns something else than true or false
 */
export function mayBeRepeated(
  { methods }: Pick<Policy, 'methods'>,
  { request: sent, key }: Pick<DecisionInput, 'request' | 'key'>,
): boolean {
  if (key?.isOurs && key.isKept) return true;
  const request = key?.isKept === false ? withoutKey(sent) : sent;
  if (typeof methods === 'function') return callHook('methods', () => methods(request), checkMay);
  if (methods === 'idempotent') return isRepeatable(request);
  return methods === 'all' || methods.includes(request.method.toUpperCase());
}

/**
 * Decides whether a request is sent again, when, and why. Reads no clock and does not wait. {@link DecisionInput.permit} is the
 * only side effect, and is called last: a retry denied for another reason costs nothing.
 *
 * @throws HookError if a hook of the policy throws, or returns an invalid value
 */
export function decide(policy: Policy, input: DecisionInput, outcome: Outcome, nowMs: number): Decision {
  const verdict = verdictOf(policy, outcome, input);
  return verdict === 'success' ? SUCCESS : decideRetry(policy, input, outcome, verdict, nowMs);
}

/** {@link decide} after anything else. */
export function decideRetry(
  policy: Policy,
  input: DecisionInput,
  outcome: Outcome,
  before: FailureVerdict,
  nowMs: number,
): Decision {
  const { request, startedAtMs = nowMs, previousBackoffMs, skipped = 0, wasAtOnce } = input;
  const { random, totalTimeoutMs = Infinity } = policy;
  const attempt = wasAtOnce ? input.attempt - 1 : input.attempt;
  const { advice: judged } = outcome;
  if (judged?.retryNow && !wasAtOnce && request.replayable)
    return { retry: true, reason: judged.retryNow === true ? 'refused' : judged.retryNow, delayMs: 0 };
  const said = feedbackOf(policy, input, outcome, before, nowMs);
  // The target of a redirect does not speak for the server that was asked.
  const isTold =
    said?.shouldRetry === true && outcome.redirected !== true && !(judged?.verdict && before === 'final');
  const verdict = said ? verdictAfter(before, outcome, said, isTold) : before;
  if (verdict === 'final')
    return stop(outcome.type === 'failure' && outcome.kind === 'aborted' ? 'aborted' : 'final');
  if (verdict !== 'refused' && !isTold && !mayBeRepeated(policy, input)) return stop('not-idempotent');
  if (!request.replayable) return stop('not-replayable');
  if (attempt > policy.maxRetries) return stop('retries-exhausted');

  const step = { retry: attempt + skipped, previousDelayMs: previousBackoffMs, random, outcome, request };
  const backoffMs = backoffOf(policy, step);
  if (backoffMs === undefined) return stop('backoff-exhausted');
  // A wait found by `inspect` counts even if `feedback` ignores it.
  const askedMs = capRetryAfter(Math.max(waitOf(said), judged?.waitMs ?? 0), policy);
  if (askedMs === undefined) return stop('retry-after-too-long');
  const delayMs = askedMs > backoffMs ? withJitter(askedMs, random) : backoffMs;

  if (nowMs + delayMs > startedAtMs + totalTimeoutMs) return stop('deadline-exceeded');
  const refusal = input.permit?.({ reason: verdict, delayMs });
  return refusal ? stop(refusal) : { retry: true, reason: verdict, delayMs, backoffMs };
}
