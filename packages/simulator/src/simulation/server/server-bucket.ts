import { gcra, type Quota } from '@ebb/core/bucket';
import type { ServerLimit } from '../../scenario/server-options.ts';

/** The token bucket in front of a server, full at first. */
export class ServerBucket {
  readonly #quota: Quota;
  readonly #retryAfter: boolean;
  #emptyAtMs: number;

  constructor({ capacity, refillPerSecond, refillIntervalMs = 0, retryAfter = true }: ServerLimit) {
    this.#quota = { capacity, refillPerSecond, refillIntervalMs };
    this.#retryAfter = retryAfter;
    this.#emptyAtMs = gcra.holding(this.#quota, capacity, 0);
  }

  take(nowMs: number): boolean {
    const after = gcra.take(this.#quota, this.#emptyAtMs, 1, nowMs);
    if (after === undefined) return false;
    this.#emptyAtMs = after;
    return true;
  }

  /** What a 429 says: whole seconds, since the header has no smaller ones. */
  retryAfterSeconds(nowMs: number): number | undefined {
    if (!this.#retryAfter) return undefined;
    return Math.ceil(gcra.waitMs(this.#quota, this.#emptyAtMs, 1, nowMs) / 1_000);
  }
}
