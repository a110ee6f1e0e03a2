import { readOptions } from '../../base/options.ts';
import type { Lack, Part, PartCall } from '../../loop/part.ts';
import { SKIP, SKIP_AND_END } from '../../loop/skip.ts';
import type { Throttle } from '../../loop/throttle.ts';
import type { ThrottleState } from '../../news/events.ts';
import { THROTTLE_OPTIONS, type ThrottleOptions } from './options.ts';
import { ThrottleRule } from './rule.ts';
import { type Shared, ThrottleTurn } from './turn.ts';

class OverloadThrottle implements Throttle, Shared {
  readonly rule: ThrottleRule;
  readonly floor: number;
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

  /** An evicted one is found again while a request refers to it, and what was learned before does not hold for long. */
  get isIdle(): boolean {
    return !this.isHeld;
  }

  tell(call: PartCall): void {
    const { state, share } = this;
    if (state === this.#told) return;
    this.#told = state;
    call.emit({ type: 'share', state, share });
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
