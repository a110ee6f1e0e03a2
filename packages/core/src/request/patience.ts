import { ThrottledError } from '../base/errors.ts';
import type { AcquireOptions } from '../limits/contracts.ts';
import type { Policy } from '../policy/policy.ts';
import { OutOfTime } from './out-of-time.ts';

/** What is left of the total timeout of a request, in milliseconds. */
export function leftMs({ clock, totalTimeoutMs }: Policy, startedAtMs: number | undefined): number {
  if (totalTimeoutMs === undefined || startedAtMs === undefined) return Number.POSITIVE_INFINITY;
  return startedAtMs + totalTimeoutMs - clock.now();
}

/** @throws OutOfTime if the total timeout has passed */
export function checkTotal(policy: Policy, startedAtMs: number | undefined): void {
  if (leftMs(policy, startedAtMs) < 0) throw new OutOfTime(policy.totalTimeoutMs as number, true);
}

/** How long an attempt may wait for its slot and its tokens: within `maxWaitMs` and the total timeout. */
export class Patience {
  readonly #policy: Policy;
  readonly #startedAtMs: number | undefined;
  /** True if the total timeout ends the wait, or has ended it, before `maxWaitMs`. */
  #isBoundByTotal = false;

  constructor(policy: Policy, startedAtMs: number | undefined) {
    this.#policy = policy;
    this.#startedAtMs = startedAtMs;
  }

  /** @param waitedMs how long the attempt has waited already */
  acquireOptions(signal: AbortSignal | undefined, retry: boolean, waitedMs: number): AcquireOptions {
    const { maxWaitMs = Number.POSITIVE_INFINITY, priority } = this.#policy;
    const patienceMs = maxWaitMs - waitedMs;
    const totalMs = leftMs(this.#policy, this.#startedAtMs);
    this.#isBoundByTotal = totalMs < patienceMs;
    const mostMs = Math.max(0, Math.min(totalMs, patienceMs));
    return { signal, maxWaitMs: mostMs === Number.POSITIVE_INFINITY ? undefined : mostMs, priority, retry };
  }

  /** True if the wait failed with this error because of the total timeout. */
  isTotalTimeout(error: unknown): boolean {
    if (error instanceof OutOfTime) return error.isTotal;
    return this.#isBoundByTotal && error instanceof ThrottledError && error.reason === 'wait-too-long';
  }
}
