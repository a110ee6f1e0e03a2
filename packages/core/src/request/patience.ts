import { ThrottledError } from '../base/errors.ts';
import type { AcquireOptions } from '../limits/contracts.ts';
import type { Policy } from '../policy/policy.ts';

/** What is left of the total timeout of a request, in milliseconds. */
export function leftMs({ clock, totalTimeoutMs }: Policy, startedAtMs: number | undefined): number {
  if (totalTimeoutMs === undefined || startedAtMs === undefined) return Number.POSITIVE_INFINITY;
  return startedAtMs + totalTimeoutMs - clock.now();
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

  /** @throws ThrottledError if the total timeout has passed */
  checkTotal(): void {
    if (leftMs(this.#policy, this.#startedAtMs) >= 0) return;
    this.#isBoundByTotal = true;
    const reason = 'wait-too-long';
    throw new ThrottledError('Not sent: the total timeout has passed', undefined, { reason });
  }

  /** True if the wait failed with this error because of the total timeout. */
  isTotalTimeout(error: unknown): boolean {
    return this.#isBoundByTotal && error instanceof ThrottledError && error.reason === 'wait-too-long';
  }
}
