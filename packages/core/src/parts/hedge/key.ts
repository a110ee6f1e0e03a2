import type { Clock } from '../../base/clock.ts';
import { type HedgeRule, type HedgeState, newHedgeState } from './rule.ts';

/** A try that may outlast its delay: one of a ring. */
export interface Due {
  next: Due;
  previous: Due;
  /** When it is hedged, in milliseconds on the clock of the policy. */
  dueMs: number;
  /** It has outlasted its delay, and has left the ring. */
  due(): void;
}

/** Takes one out of its ring. Does nothing if it is in none. */
export function leave(one: Due): void {
  one.previous.next = one.next;
  one.next.previous = one.previous;
  one.next = one;
  one.previous = one;
}

/**
 * The requests with one key: what is known of them, and those that may still be hedged. All have one timer: most settle before
 * their delay is over, and a timer for each would take twice as long as all the rest. Their delays are alike, so the first of them is
 * due first, give or take a step of the learned delay.
 */
export class HedgeKey implements Due {
  next: Due = this;
  previous: Due = this;
  readonly dueMs: number = 0;
  readonly state: HedgeState;
  readonly #clock: Clock;
  #isArmed = false;

  constructor(rule: HedgeRule, clock: Clock) {
    this.state = newHedgeState(rule);
    this.#clock = clock;
  }

  /** Due one delay after its `dueMs`; never, while the delay is not known. */
  join(one: Due): void {
    const { delayMs } = this.state;
    if (delayMs === Number.POSITIVE_INFINITY) return;
    one.dueMs += delayMs;
    one.next = this;
    one.previous = this.previous;
    one.previous.next = one;
    this.previous = one;
    if (!this.#isArmed) this.#arm(delayMs);
  }

  #arm(delayMs: number): void {
    this.#isArmed = true;
    // A request that is under way keeps the process alive by itself.
    this.#clock.schedule(() => this.due(), delayMs, true);
  }

  /** The timer has fired. If all have settled, it is set again by the next request. */
  due(): void {
    const nowMs = this.#clock.now();
    this.#isArmed = false;
    for (let one = this.next; one !== this && one.dueMs <= nowMs; one = this.next) {
      leave(one);
      one.due();
    }
    if (this.next !== this && !this.#isArmed) this.#arm(this.next.dueMs - nowMs);
  }
}
