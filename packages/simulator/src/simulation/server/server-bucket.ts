import type { ServerLimit } from '../../scenario/server-options.ts';
import { TokenQuota } from '../token-quota.ts';

/** The token bucket in front of a server. It starts full. */
export class ServerBucket {
  readonly #quota: TokenQuota;
  readonly #retryAfter: boolean;
  #state: number;

  constructor(limit: ServerLimit) {
    this.#quota = new TokenQuota(limit);
    this.#retryAfter = limit.retryAfter ?? true;
    this.#state = this.#quota.holding(limit.capacity, 0);
  }

  take(nowMs: number): boolean {
    const after = this.#quota.take(this.#state, 1, nowMs);
    if (after === undefined) return false;
    this.#state = after;
    return true;
  }

  /** The Retry-After of a 429, rounded up: the header takes whole seconds only. */
  retryAfterSeconds(nowMs: number): number | undefined {
    if (!this.#retryAfter) return undefined;
    return Math.ceil(this.#quota.waitMs(this.#state, 1, nowMs) / 1_000);
  }
}
