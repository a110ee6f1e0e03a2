import { BY_DEFAULT } from '../../backoff/curves.ts';
import { callable, oneOf } from '../../base/check.ts';
import { callHook } from '../../base/errors.ts';
import { type Complete, type OptionTable, readOptions } from '../../base/options.ts';
import type { Clock } from '../../base/time.ts';
import type { StopReason, ThrottleState } from '../../events/events.ts';
import { isTrouble } from '../../http/classify.ts';
import { plainFeedback } from '../../http/feedback.ts';
import type { Outcome, RequestTraits, ResponseOutcome } from '../../http/outcome.ts';
import type { CallPolicy, CallView } from '../../policy/call-view.ts';
import { checkKey } from '../../policy/cost.ts';
import type { BroughtLimit, Limit, Permit, Skip } from '../../policy/limit.ts';
import type { Throttle } from '../../policy/limit-options.ts';
import { pathClassOf, type RequestClass, RequestClasses } from './classes.ts';
import type { Occasion } from './rule.ts';

/** Options of {@link adaptiveThrottle}. */
export interface ThrottleOptions {
  /**
   * `'wait'`: a request with a skipped attempt waits for the next one, up to five times: about 1, 2, 4, 8 and 16 s. `'fail'`: it ends, with
   * a `NotSentError` (`overload`) or the answer that was there.
   * @default 'wait'
   */
  readonly whenSkipped?: 'wait' | 'fail' | undefined;
  /**
   * The class of a request: requests of a class succeed or fail together, and failures of one class put off no other. Up to 16 classes have
   * a level each; any more share one.
   * @default its method and origin, and the first segment of its path
   */
  readonly classOf?: ((request: RequestTraits) => string) | undefined;
}

export const THROTTLE_OPTIONS: OptionTable<ThrottleOptions> = {
  whenSkipped: { check: oneOf('wait', 'fail'), default: 'wait' },
  classOf: { check: callable, default: pathClassOf },
};

/** Fields that say what is left of a quota. Their values do not matter here. */
const QUOTA_FIELDS: readonly string[] = ['ratelimit', 'ratelimit-remaining', 'x-ratelimit-remaining'];

/** True for a 429 with a wait or a field of a quota: a quota of the client is used up, which says nothing about the service. */
function isQuota(outcome: ResponseOutcome, clock: Pick<Clock, 'now'>): boolean {
  if (outcome.status !== 429) return false;
  return (
    plainFeedback(outcome, clock.now()) !== undefined ||
    QUOTA_FIELDS.some((name) => outcome.header(name) !== undefined)
  );
}

/**
 * True if an outcome shows trouble of the service: a timeout, no connection or a broken one, a 429 that tells no quota, 5xx, or such a
 * verdict on the body. `undefined` if the outcome says nothing about the service.
 */
export function isBad(
  outcome: Outcome,
  request: RequestTraits,
  clock: Pick<Clock, 'now'>,
): boolean | undefined {
  if (outcome.type === 'failure') {
    // A function throws if the service that it calls fails. A client may also throw because of a mistake in the program.
    const isSilent = outcome.kind === 'aborted' || (outcome.kind === 'unknown' && request.url !== '');
    return isSilent ? undefined : true;
  }
  if (isQuota(outcome, clock)) return undefined;
  const verdict = outcome.advice?.verdict;
  if (verdict !== undefined) return verdict === 'refused' || verdict === 'transient';
  return isTrouble(outcome.status);
}

/** How many failures an event reports. */
const REPORTED_FAILURES = 3;

/** How many attempts were scheduled: sent or skipped. An attempt at once, after a refresh for example, is no retry. */
function scheduledOf({ attempt, skipped = 0, wasAtOnce }: CallView): number {
  return attempt + skipped - (wasAtOnce ? 1 : 0);
}

/** The most retries and skipped attempts of a request together. */
export function mostScheduled({ maxRetries }: Pick<CallPolicy, 'maxRetries'>): number {
  return Math.max(maxRetries, 5);
}

/**
 * How long until the next scheduled attempt of a request that was sent and skipped so many times together, this one included, in
 * milliseconds: as the default backoff would be. `undefined` if there is none. It may come after the total timeout.
 */
export function delayAfterSkip(
  policy: Pick<CallPolicy, 'maxRetries' | 'random'>,
  scheduled: number,
): number | undefined {
  const { maxRetries, random } = policy;
  if (maxRetries === 0 || scheduled > mostScheduled(policy)) return undefined;
  return BY_DEFAULT({ retry: scheduled, previousDelayMs: undefined, random });
}

class OverloadThrottle implements Throttle, Limit {
  readonly name = 'throttle';
  readonly classes: RequestClasses = new RequestClasses();
  readonly #setup: Complete<ThrottleOptions>;
  #isIsolated = false;

  constructor(options: ThrottleOptions) {
    this.#setup = readOptions('adaptiveThrottle', options, THROTTLE_OPTIONS);
  }

  get limit(): BroughtLimit {
    return { limit: this };
  }

  #classOf({ request, policy }: CallView): RequestClass {
    const name = callHook('classOf', () => this.#setup.classOf(request), checkKey);
    return this.classes.of(name, () => policy.clock.now());
  }

  started(call: CallView): void {
    this.#classOf(call).rule.ask();
  }

  take(call: CallView, earlier: Permit | undefined): Permit | Skip {
    const { policy } = call;
    // A scheduled attempt that has waited for its tokens takes nothing twice.
    const waiting = earlier instanceof ScheduledAttempt ? earlier : undefined;
    const requestClass = waiting?.requestClass ?? this.#classOf(call);
    if (this.#isIsolated) {
      this.tell(call, requestClass);
      return { skip: true, delayMs: this.#delayMs(call) };
    }
    const { rule } = requestClass;
    const occasion = occasionOf(call);
    // Reading a clock is most of the work. Without a timeout no answer is late.
    const isTimed = policy.attemptTimeoutMs !== undefined || occasion !== 'first' || rule.state !== 'closed';
    const nowMs = isTimed ? policy.clock.now() : 0;
    if (waiting) return waiting.openedAt(nowMs);
    // A budget of the policy has allowed its retry already.
    const isFree = occasion !== 'first' && policy.budget !== undefined;
    if (isFree || rule.take(nowMs, occasion))
      return new ScheduledAttempt(this, call, requestClass, occasion, nowMs, !isFree);
    const delayMs = this.#delayMs(call);
    const isLastChance =
      occasion === 'first' && delayMs !== undefined && delayMs > (call.deadline?.leftMs ?? Infinity);
    return isLastChance && rule.isPrompt
      ? new ScheduledAttempt(this, call, requestClass, occasion, nowMs, false)
      : { skip: true, delayMs };
  }

  planRetry(call: CallView): StopReason | undefined {
    return scheduledOf(call) > mostScheduled(call.policy) ? 'retries-exhausted' : undefined;
  }

  /** `undefined` if no scheduled attempt follows. */
  #delayMs(call: CallView): number | undefined {
    if (this.#setup.whenSkipped === 'fail') return undefined;
    return delayAfterSkip(call.policy, scheduledOf(call) + 1);
  }

  get level(): number {
    return this.#isIsolated ? 0 : (this.classes.lowest?.level ?? 1);
  }

  get state(): ThrottleState {
    return this.#isIsolated ? 'open' : (this.classes.lowest?.state ?? 'closed');
  }

  isolate(): void {
    this.#isIsolated = true;
  }

  close(): void {
    this.#isIsolated = false;
    this.classes.reset();
  }

  /** True unless the throttle is isolated: its level does not hold for long, so an eviction loses nothing. */
  get isIdle(): boolean {
    return !this.#isIsolated;
  }

  /** Reports a change of state. The next request of a class reports a change by `isolate()` or `close()`. */
  tell(call: CallView, requestClass: RequestClass): void {
    const { rule, failures, name } = requestClass;
    const state = this.#isIsolated ? 'open' : rule.state;
    if (state === requestClass.reportedState) return;
    requestClass.reportedState = state;
    const own = failures.at(-1) === 'timeout' ? 'successes' : 'reserve';
    const retryAllowance = call.policy.budget === undefined ? own : 'budget';
    const level = this.#isIsolated ? 0 : rule.level;
    call.emit({ type: 'throttle', state, level, class: name, failures, retryAllowance });
  }
}

/** A name for a failure: the status of a response, or the kind of a failure. */
function whatFailed(outcome: Outcome): string {
  return outcome.type === 'response' ? String(outcome.status) : outcome.kind;
}

function occasionOf({ attempt, toRetry }: CallView): Occasion {
  if (attempt === 0) return 'first';
  // A hedge goes as a retry, and while all is calm.
  return toRetry?.type === 'failure' && toRetry.kind === 'timeout' ? 'after-timeout' : 'after-failure';
}

/** Permission for a scheduled attempt to be sent. */
class ScheduledAttempt implements Permit {
  readonly requestClass: RequestClass;
  readonly #throttle: OverloadThrottle;
  readonly #call: CallView;
  readonly #occasion: Occasion;
  /** When the attempt was let through. */
  #atMs: number;
  /** True while the scheduled attempt is paid for, and its outcome is not known. */
  #isPaid: boolean;

  constructor(
    throttle: OverloadThrottle,
    call: CallView,
    requestClass: RequestClass,
    occasion: Occasion,
    atMs: number,
    isPaid: boolean,
  ) {
    this.#throttle = throttle;
    this.#call = call;
    this.requestClass = requestClass;
    this.#occasion = occasion;
    this.#atMs = atMs;
    this.#isPaid = isPaid;
  }

  openedAt(nowMs: number): this {
    this.#atMs = nowMs;
    return this;
  }

  /** It is kept while another limit is waited for. */
  cancel(): void {}

  lapse(): void {
    if (this.#isPaid) this.requestClass.rule.giveBack(this.#call.policy.clock.now(), this.#occasion);
    this.#isPaid = false;
  }

  settle(outcome: Outcome): void {
    this.#isPaid = false;
    const call = this.#call;
    const { requestClass } = this;
    const { attempt, policy, request } = call;
    const failed = isBad(outcome, request, policy.clock);
    if (failed === undefined) return;
    const { attemptTimeoutMs = Infinity } = policy;
    const nowMs = policy.clock.now();
    if (failed)
      requestClass.failures = [...requestClass.failures.slice(1 - REPORTED_FAILURES), whatFailed(outcome)];
    // The total timeout may end it sooner: nothing says that the answer would have come in time.
    const isTimeout = outcome.type === 'failure' && outcome.kind === 'timeout';
    const lateness = isTimeout ? 1 : (nowMs - this.#atMs) / attemptTimeoutMs;
    this.#throttle.classes.learnedAtMs = nowMs;
    requestClass.rule.learn(nowMs, failed, attempt > 1, lateness);
    this.#throttle.tell(call, requestClass);
  }
}

/**
 * Sends less while little succeeds, for more than a handful of clients with an `attemptTimeoutMs`. If the timeout is shorter than
 * the server's queue, a few seconds of trouble keep a busy service down for good: it answers only requests that have been given
 * up, and are sent again. A client with a throttle sends a share of its new requests that falls with failures from the third in a
 * row on, and rises again with answers, the quicker the prompter they are. A service that only gets slower is not throttled.
 *
 * Requests are told apart by method, origin and first segment of the path (`classOf`): each class has a share of its own. A 429 with a wait
 * or the rest of a quota is no failure.
 *
 * A request that is not sent is *skipped*. It waits for about 1, 2, 4, 8 and 16 s, whatever the `backoff` of the policy is, and uses none of
 * its retries; it has five of both together, or `maxRetries` if that is more. Then it ends with the answer that was there, or with a
 * `NotSentError` (`overload`). If `totalTimeoutMs` does not let it wait, it is sent all the same if the last outcome of its class was prompt.
 * With `maxRetries: 0` it does not wait.
 *
 * Retries after timeouts are paid from the level of new requests, and while nothing fails from answers: one in a hundred. Other
 * retries are paid from a reserve, which answers fill again. A budget in the policy pays for all of them in its place.
 *
 * Only the outermost of nested clients asks its throttle, which alone learns: a nested client has no scheduled attempts of its own.
 *
 * It is the circuit breaker of ebb: see `state`, `isolate()`, `close()`, the event `throttle`, and `whenSkipped: 'fail'`.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { adaptiveThrottle, createPolicy } from '@ebb/core';
 *
 * const policy = createPolicy({ attemptTimeoutMs: 1_000, throttle: adaptiveThrottle() });
 * ```
 */
export function adaptiveThrottle(options: ThrottleOptions = {}): Throttle {
  return new OverloadThrottle(options);
}
