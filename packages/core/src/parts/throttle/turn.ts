import type { Outcome } from '../../http/outcome.ts';
import type { Lack, PartCall, Turn } from '../../loop/part.ts';
import type { StopReason } from '../../news/reason.ts';
import { isBad } from './is-bad.ts';
import type { ThrottleRule } from './rule.ts';

/** What a call needs of its throttle. */
export interface Shared {
  readonly rule: ThrottleRule;
  readonly isHeld: boolean;
  /** What a call lacks whose chance is skipped. */
  readonly lack: Lack;
  /** Tells of a change of state. Of one by hand the next request tells. */
  tell(call: PartCall): void;
}

/** A throttle in one call. */
export class ThrottleTurn implements Turn {
  readonly #throttle: Shared;
  readonly #call: PartCall;
  /**
   * When the attempt was let through; `undefined` before.
   */
  #atMs: number | undefined;
  /**
   * True while a chance is taken that was not sent: one that waits for its tokens is asked again, and takes nothing twice.
   * `undefined` before the first.
   */
  #hasTaken: boolean | undefined;

  constructor(throttle: Shared, call: PartCall) {
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
