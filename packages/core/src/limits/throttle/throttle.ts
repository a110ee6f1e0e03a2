import { oneOf } from '../../base/check.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import type { StopReason, ThrottleState } from '../../events/events.ts';
import { isTrouble } from '../../http/classify.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { BroughtLimit, Limit, Permit, Skip } from '../../policy/limit.ts';
import type { Throttle } from '../../policy/limit-options.ts';
import { type Occasion, ThrottleRule } from './rule.ts';

/** Options of {@link adaptiveThrottle}. */
export interface ThrottleOptions {
  /**
   * `'wait'`: a request with a skipped attempt goes on to its next scheduled attempt, after the next backoff. `'fail'`: it ends, with a
   * `NotSentError` (`overload`) or the answer that was there.
   * @default 'wait'
   */
  readonly whenSkipped?: 'wait' | 'fail' | undefined;
}

export const THROTTLE_OPTIONS: OptionTable<ThrottleOptions> = {
  whenSkipped: { check: oneOf('wait', 'fail'), default: 'wait' },
};

/**
 * True if an outcome shows trouble of the service: a timeout, no connection or a broken one, 429, 5xx, or such a verdict on the
 * body. `undefined` if the outcome says nothing about the service.
 */
export function isBad(outcome: Outcome, request: RequestTraits): boolean | undefined {
  if (outcome.type === 'failure') {
    // A function throws if the service that it calls fails. A client may also throw because of a mistake in the program.
    const isSilent = outcome.kind === 'aborted' || (outcome.kind === 'unknown' && request.url !== '');
    return isSilent ? undefined : true;
  }
  const verdict = outcome.advice?.verdict;
  if (verdict !== undefined) return verdict === 'refused' || verdict === 'transient';
  return isTrouble(outcome.status);
}

/** How many failures an event reports. */
const REPORTED_FAILURES = 3;

class OverloadThrottle implements Throttle, Limit {
  readonly rule: ThrottleRule = new ThrottleRule();
  readonly name = 'throttle';
  /** A call whose scheduled attempt is skipped gets this. */
  readonly skip: Skip;
  #isIsolated = false;
  /** The last failures: when they lower the share, those in a row. */
  #failures: readonly string[] = [];
  /** The state that the last event has reported. */
  #reportedState: ThrottleState = 'closed';

  constructor(options: ThrottleOptions) {
    const setup = readOptions('adaptiveThrottle', options, THROTTLE_OPTIONS);
    this.skip = { skip: true, isLast: setup.whenSkipped === 'fail' };
  }

  get limit(): BroughtLimit {
    return { limit: this };
  }

  started(): void {
    this.rule.ask();
  }

  take(call: CallView, earlier: Permit | undefined): Permit | Skip {
    const { rule, skip } = this;
    if (this.#isIsolated) {
      this.tell(call);
      return skip;
    }
    const { policy } = call;
    const occasion = occasionOf(call);
    // Reading a clock is most of the work. Without a timeout no answer is late.
    const isTimed = policy.attemptTimeoutMs !== undefined || occasion !== 'first' || rule.state !== 'closed';
    const nowMs = isTimed ? policy.clock.now() : 0;
    // A scheduled attempt that has waited for its tokens takes nothing twice.
    if (earlier instanceof ScheduledAttempt) return earlier.openedAt(nowMs);
    // A budget of the policy has allowed its retry already.
    const isPaid = occasion === 'first' || policy.budget === undefined;
    return isPaid && !rule.take(nowMs, occasion)
      ? skip
      : new ScheduledAttempt(this, call, occasion, nowMs, isPaid);
  }

  get level(): number {
    return this.#isIsolated ? 0 : this.rule.level;
  }

  get state(): ThrottleState {
    return this.#isIsolated ? 'open' : this.rule.state;
  }

  isolate(): void {
    this.#isIsolated = true;
  }

  close(): void {
    this.#isIsolated = false;
    this.rule.reset();
  }

  /** True unless the throttle is isolated: its level does not hold for long, so an eviction loses nothing. */
  get isIdle(): boolean {
    return !this.#isIsolated;
  }

  failed(nowMs: number, outcome: Outcome | undefined, isRetry: boolean): void {
    const failure = whatFailed(outcome);
    this.#failures = [...this.#failures.slice(1 - REPORTED_FAILURES), failure];
    this.rule.learn(nowMs, true, isRetry, 0);
  }

  /** Reports a change of state. The next request reports a change by `isolate()` or `close()`. */
  tell(call: CallView): void {
    const { state } = this;
    if (state === this.#reportedState) return;
    this.#reportedState = state;
    const { level } = this;
    const own = this.#failures.at(-1) === 'timeout' ? 'successes' : 'reserve';
    const retryAllowance = call.policy.budget === undefined ? own : 'budget';
    call.emit({ type: 'throttle', state, level, failures: this.#failures, retryAllowance });
  }
}

/** A name for a failure: the status of a response, or the kind of a failure. The total timeout ends an attempt without an outcome. */
function whatFailed(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'timeout';
  return outcome.type === 'response' ? String(outcome.status) : outcome.kind;
}

function occasionOf({ attempt, toRetry }: CallView): Occasion {
  if (attempt === 0) return 'first';
  // A hedge goes as a retry, and while all is calm.
  return toRetry?.type === 'failure' && toRetry.kind === 'timeout' ? 'after-timeout' : 'after-failure';
}

/** Permission for a scheduled attempt to be sent. */
class ScheduledAttempt implements Permit {
  readonly #throttle: OverloadThrottle;
  readonly #call: CallView;
  readonly #occasion: Occasion;
  /** When the attempt was let through. */
  #atMs: number;
  /** True while the scheduled attempt is paid for, and its outcome is not known. */
  #isPaid: boolean;
  /** True from when the attempt was let through until its outcome is known. */
  #isOpen = true;

  constructor(throttle: OverloadThrottle, call: CallView, occasion: Occasion, atMs: number, isPaid: boolean) {
    this.#throttle = throttle;
    this.#call = call;
    this.#occasion = occasion;
    this.#atMs = atMs;
    this.#isPaid = isPaid;
  }

  openedAt(nowMs: number): this {
    this.#atMs = nowMs;
    this.#isOpen = true;
    return this;
  }

  /** It is kept while another limit is waited for. */
  cancel(): void {
    this.#isOpen = false;
  }

  lapse(): void {
    if (this.#isPaid) this.#throttle.rule.giveBack(this.#call.policy.clock.now(), this.#occasion);
    this.#isPaid = false;
  }

  settle(outcome: Outcome): void {
    this.#learn(outcome, isBad(outcome, this.#call.request));
  }

  ended(reason: StopReason): void {
    if (!this.#isOpen) return;
    if (reason === 'deadline-exceeded') this.#learn(undefined, true);
    else this.lapse();
  }

  /** @param failed `undefined` if the attempt says nothing */
  #learn(outcome: Outcome | undefined, failed: boolean | undefined): void {
    this.#isOpen = false;
    this.#isPaid = false;
    if (failed === undefined) return;
    const throttle = this.#throttle;
    const call = this.#call;
    const { attempt, policy } = call;
    const nowMs = policy.clock.now();
    if (failed) {
      throttle.failed(nowMs, outcome, attempt > 1);
    } else {
      const { attemptTimeoutMs = Infinity } = policy;
      throttle.rule.learn(nowMs, false, attempt > 1, (nowMs - this.#atMs) / attemptTimeoutMs);
    }
    throttle.tell(call);
  }
}

/**
 * Sends less while little succeeds, for more than a handful of clients with an `attemptTimeoutMs`. If the timeout is shorter than
 * the server's queue, a few seconds of trouble keep a busy service down for good: it answers only requests that have been given
 * up, and are sent again. A client with a throttle sends a share of its new requests that falls with failures from the third in a
 * row on, and rises again with answers, the quicker the prompter they are. A service that only gets slower is not throttled.
 *
 * A *scheduled attempt* is a moment at which a request may be sent: at first, and after each backoff. If it is skipped nothing is
 * sent, and the request goes on to its next one. When it has none left (`maxRetries`, `totalTimeoutMs`) it ends with the answer that was
 * there, else with a `NotSentError` (`overload`).
 *
 * Retries after timeouts are paid from the level of new requests, and while nothing fails from answers: one in a hundred. Other
 * retries are paid from a reserve, which answers fill again. A budget in the policy pays for all of them in its place.
 *
 * Only the outermost of nested clients asks its throttle, which alone learns: a nested client has no scheduled attempts of its own.
 *
 * It is the circuit breaker of ebb: see `state`, `isolate()`, `close()`, the event `throttle`, and `whenSkipped: 'fail'`. For several
 * hosts make one each: `perKey(() => adaptiveThrottle())`.
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
