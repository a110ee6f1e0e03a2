import { gcra, type Quota } from '@ebb/core/bucket';

/** The rate and the size of a token bucket. */
export interface QuotaOptions {
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** @default 0 */
  readonly refillIntervalMs?: number | undefined;
}

/**
 * The arithmetic of token buckets whose state is one number each. As in core, the state is a time in which one token
 * comes in each second, whatever the rate: whole tokens then add up exactly. In real time the rounding errors of many
 * grants add up until a token misses its refill step. `token-quota.test.ts` holds this against core's bucket.
 */
export class TokenQuota {
  readonly #unit: Quota;
  readonly #perSecond: number;
  readonly #intervalMs: number;

  constructor({ capacity, refillPerSecond, refillIntervalMs = 0 }: QuotaOptions) {
    this.#unit = { capacity, refillPerSecond: 1 };
    this.#perSecond = refillPerSecond;
    this.#intervalMs = refillIntervalMs;
  }

  #ownMs(nowMs: number): number {
    const intervalMs = this.#intervalMs;
    const refilledMs = intervalMs === 0 ? nowMs : gcra.stepsBy(intervalMs, nowMs) * intervalMs;
    return refilledMs * this.#perSecond;
  }

  /** The state of a bucket that holds so many tokens. */
  holding(tokens: number, nowMs: number): number {
    return gcra.stateWith(this.#unit, tokens, this.#ownMs(nowMs));
  }

  /** The state after taking tokens; `undefined` if the bucket does not hold enough. */
  take(state: number, cost: number, nowMs: number): number | undefined {
    return gcra.take(this.#unit, state, cost, this.#ownMs(nowMs));
  }

  /** The state after taking tokens, which may leave a debt. */
  spend(state: number, cost: number, nowMs: number): number {
    return gcra.spend(this.#unit, state, cost, this.#ownMs(nowMs));
  }

  /** How long until the bucket holds so many tokens, in milliseconds; 0 if it does now. */
  waitMs(state: number, cost: number, nowMs: number): number {
    const intervalMs = this.#intervalMs;
    const ownMs = this.#ownMs(nowMs);
    if (intervalMs === 0) return gcra.waitMs(this.#unit, state, cost, ownMs) / this.#perSecond;
    const steps = gcra.stepsToWait(this.#unit, state, cost, ownMs, intervalMs * this.#perSecond);
    return steps === 0 ? 0 : (gcra.stepsBy(intervalMs, nowMs) + steps) * intervalMs - nowMs;
  }
}
