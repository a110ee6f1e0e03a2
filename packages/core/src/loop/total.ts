import type { Outcome } from '../http/outcome.ts';
import { OutOfTime } from './out-of-time.ts';
import type { Policy } from './policy.ts';

/** The total timeout of a request, and what it has done. */
export class Total {
  /** When the call began, in milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** True if the attempt in flight ends with the total timeout, not with its own. */
  bindsAttempt = false;
  /** The last response that a retry followed. */
  answer: Outcome | undefined;
  /** True if it is the result of the request. */
  fallsBack = false;
  readonly #policy: Policy;

  constructor(policy: Policy) {
    this.#policy = policy;
    this.startedAtMs = policy.clock.now();
  }

  /** `undefined` without a total timeout. Reading a clock takes as long as half of the rest of a session. */
  static of(policy: Policy): Total | undefined {
    return policy.totalTimeoutMs === undefined ? undefined : new Total(policy);
  }

  get timeoutMs(): number {
    return this.#policy.totalTimeoutMs as number;
  }

  /** What is left of it, in milliseconds. */
  get leftMs(): number {
    return this.startedAtMs + this.timeoutMs - this.#policy.clock.now();
  }

  /** @throws OutOfTime if it has passed */
  check(): void {
    if (this.leftMs < 0) throw new OutOfTime(this.timeoutMs, true);
  }

  /** How long an attempt may take that has `ownMs` milliseconds of its own. */
  bound(ownMs: number | undefined): number {
    const leftMs = Math.max(0, this.leftMs);
    this.bindsAttempt = ownMs === undefined || leftMs <= ownMs;
    return this.bindsAttempt ? leftMs : (ownMs as number);
  }

  /** True for an attempt that it has ended. */
  hasEnded(outcome: Outcome): boolean {
    if (!this.bindsAttempt || outcome.type !== 'failure' || outcome.kind !== 'timeout') return false;
    // A client's own timeout may have ended it before. Clocks have fractions of a millisecond.
    return this.leftMs < 1;
  }
}
