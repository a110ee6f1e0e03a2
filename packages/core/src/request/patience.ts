import { ThrottledError } from '../base/errors.ts';
import type { AcquireOptions } from '../limits/contracts.ts';
import type { Policy } from '../policy/policy.ts';
import { OutOfTime } from './out-of-time.ts';
import type { Total } from './total.ts';

/** How long an attempt may wait for its slot and its tokens: within `maxWaitMs` and the total timeout. */
export class Patience {
  readonly #policy: Policy;
  readonly #total: Total | undefined;
  /** True if the total timeout ends the wait, or has ended it, before `maxWaitMs`. */
  #isBoundByTotal = false;

  constructor(policy: Policy, total: Total | undefined) {
    this.#policy = policy;
    this.#total = total;
  }

  /** @param waitedMs how long the attempt has waited already */
  acquireOptions(signal: AbortSignal | undefined, retry: boolean, waitedMs: number): AcquireOptions {
    const { maxWaitMs = Number.POSITIVE_INFINITY, priority } = this.#policy;
    const patienceMs = maxWaitMs - waitedMs;
    const totalMs = this.#total?.leftMs ?? Number.POSITIVE_INFINITY;
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
