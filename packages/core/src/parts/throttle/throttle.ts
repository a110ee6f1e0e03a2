import { notNegative, oneOf, share } from '../../base/check.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import { isTrouble } from '../../http/classify.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import { SKIP, SKIP_AND_END } from '../../loop/judge.ts';
import type { Lack, Part, PartCall, Throttle, Turn } from '../../loop/part.ts';
import type { StopReason, ThrottleState } from '../../news/events.ts';
import { takingOver } from '../taking.ts';
import { ThrottleRule } from './rule.ts';

/** Options of {@link throttle}. */
export interface ThrottleOptions {
  /**
   * The least share of new requests that is sent, above 0 and up to 1. They find out that the service is back.
   * @default 0.02
   */
  readonly floor?: number | undefined;
  /**
   * Retries for each request of the last ten seconds, before successes pay for more. A budget in the policy replaces it.
   * @default 2.5
   */
  readonly credit?: number | undefined;
  /**
   * Retries that a client may make however few requests it has made. Each client has them, and over a fleet they add up:
   * 0.3 for very many quiet clients. Below 1 it takes retries from clients that send less than about one request in ten seconds:
   * one in a minute then hardly has any. Busier ones, which have them from `credit`, lose nothing.
   * @default 3
   */
  readonly reserve?: number | undefined;
  /**
   * `'wait'`: a request whose chance is skipped goes on to its next one, after the next backoff. `'fail'`: it ends, with a
   * `ThrottledError` (`overload`) or the answer that was there.
   * @default 'wait'
   */
  readonly whenSkipped?: 'wait' | 'fail' | undefined;
}

export const THROTTLE_OPTIONS: OptionTable<ThrottleOptions> = {
  floor: { check: share, default: 0.02 },
  credit: { check: notNegative, default: 2.5 },
  reserve: { check: notNegative, default: 3 },
  whenSkipped: { check: oneOf('wait', 'fail'), default: 'wait' },
};

/**
 * True if an outcome says that the service is in trouble: a timeout, no connection or one that broke, 429, 5xx, or a body that was
 * judged so. `undefined` if it says nothing of the service.
 */
export function isBad(outcome: Outcome, request: RequestTraits): boolean | undefined {
  if (outcome.type === 'failure') {
    // A function throws if the service that it calls fails. A client may also throw because of a mistake in the program.
    const isSilent = outcome.kind === 'aborted' || (outcome.kind === 'unknown' && request.url !== '');
    return isSilent ? undefined : true;
  }
  const verdict = outcome.judgement?.verdict;
  if (verdict !== undefined) return verdict === 'refused' || verdict === 'transient';
  return isTrouble(outcome.status);
}

class OverloadThrottle implements Throttle {
  readonly rule: ThrottleRule;
  readonly floor: number;
  /** What a call lacks whose chance is skipped. */
  readonly lack: Lack;
  isHeld = false;
  /** The state that events have told. */
  #told: ThrottleState = 'closed';

  constructor(options: ThrottleOptions) {
    const setup = readOptions('throttle', options, THROTTLE_OPTIONS);
    this.rule = new ThrottleRule(setup);
    this.floor = setup.floor;
    this.lack = setup.whenSkipped === 'fail' ? SKIP_AND_END : SKIP;
  }

  get part(): Part {
    return {
      name: 'throttle',
      place: 'throttle',
      taking: takingOver,
      // The outermost layer has the chances.
      begin: (call) => (call.around.isInner ? undefined : new ThrottleTurn(this, call)),
    };
  }

  get share(): number {
    return this.isHeld ? 0 : this.rule.share;
  }

  get state(): ThrottleState {
    const { share } = this;
    return share === 1 ? 'closed' : share <= this.floor ? 'open' : 'half-open';
  }

  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    this.rule.reset();
  }

  /** What was learned before does not hold for long. */
  get isIdle(): boolean {
    return !this.isHeld;
  }

  /** Tells of a change of state. Of one by hand the next request tells. */
  tell(call: PartCall): void {
    const { state, share } = this;
    if (state === this.#told) return;
    this.#told = state;
    call.emit({ type: 'share', state, share });
  }
}

/** A throttle in one call. */
class ThrottleTurn implements Turn {
  readonly #throttle: OverloadThrottle;
  readonly #call: PartCall;
  /** When the attempt was let through; `undefined` before. */
  #atMs: number | undefined;
  /**
   * True while a chance is taken that was not sent: one that waits for its tokens is asked again, and takes nothing twice.
   * `undefined` before the first.
   */
  #hasTaken: boolean | undefined;

  constructor(throttle: OverloadThrottle, call: PartCall) {
    this.#throttle = throttle;
    this.#call = call;
  }

  acquire(): Lack | undefined {
    const throttle = this.#throttle;
    const { rule } = throttle;
    const { policy, attempt } = this.#call;
    const nowMs = policy.clock.now();
    // Not at the beginning of the call: reading a clock is most of the work.
    if (this.#hasTaken === undefined) rule.ask(nowMs);
    this.#hasTaken ??= false;
    if (throttle.isHeld) {
      throttle.tell(this.#call);
      return throttle.lack;
    }
    // A budget of the policy has allowed its retry already.
    if (attempt === 0 || policy.budget === undefined) {
      this.#hasTaken ||= rule.take(nowMs, attempt > 0, policy.random);
      if (!this.#hasTaken) return throttle.lack;
    }
    this.#atMs = nowMs;
    return undefined;
  }

  skip(): void {
    if (this.#hasTaken) {
      const { attempt, policy } = this.#call;
      this.#throttle.rule.giveBack(policy.clock.now(), attempt > 0);
    }
    this.#hasTaken = false;
  }

  leave(outcome: Outcome | undefined): void {
    if (outcome !== undefined) this.#learn(isBad(outcome, this.#call.request));
    this.#atMs = undefined;
  }

  end(reason: StopReason): void {
    // It was not left if the total timeout has ended it.
    if (reason === 'deadline-exceeded') this.#learn(true);
    this.skip();
  }

  /** @param failed `undefined` if the attempt says nothing */
  #learn(failed: boolean | undefined): void {
    const { attempt, policy } = this.#call;
    const atMs = this.#atMs;
    // User code in front of it has taken too long.
    if (atMs === undefined) return;
    this.#hasTaken = false;
    if (failed === undefined) return;
    const nowMs = policy.clock.now();
    this.#throttle.rule.learn(nowMs, nowMs - atMs, failed, attempt > 1);
    this.#throttle.tell(this.#call);
  }
}

/**
 * Sends less while little succeeds, for more than a handful of clients with an `attemptTimeoutMs`. If that timeout is shorter than the
 * server's queue, a few seconds of trouble keep a busy service down for good: all that it answers has been given up, and is sent
 * again. A client with a throttle sends a share of its new requests that falls with failures, and with answers that take far longer
 * than usual, and rises again with good ones. Retries are paid from a credit.
 *
 * A *chance* is a moment at which a request may be sent: at first, and after each backoff. If a chance is skipped nothing is sent, and
 * the request goes on to its next one. When it has none left (`maxRetries`, `totalTimeoutMs`) it ends with the answer that was
 * there, else with a `ThrottledError` (`overload`).
 *
 * If a client of ebb is put over another, that of the outermost one alone is asked, and alone learns: what is below has no chances of
 * its own, and cannot tell a first attempt from a retry of the layer above, which says nothing new.
 *
 * It is the circuit breaker of ebb: see `state`, `hold()`, `release()`, the event `share`, and `whenSkipped: 'fail'`. For several
 * hosts make one each: `perKey(() => throttle())`.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, throttle } from '@ebb/core';
 *
 * const policy = createPolicy({ attemptTimeoutMs: 1_000, throttle: throttle() });
 * ```
 */
export function throttle(options: ThrottleOptions = {}): Throttle {
  return new OverloadThrottle(options);
}
