import type { ServiceLimit } from '@ebb/testing/faults';
import { TokenQuota } from '../token-quota.ts';

/** The limit that a server asks before it serves a request. */
export interface ServerGate {
  take(nowMs: number): boolean;
  /** The Retry-After of a 429, rounded up: the header takes whole seconds only. */
  retryAfterSeconds(nowMs: number): number | undefined;
  /** The server answers a request that it has served. */
  served?(job: number, stamp: number, nowMs: number): void;
}

/** The token bucket of one unit in front of a server. It starts full. */
export class ServerBucket implements ServerGate {
  readonly #quota: TokenQuota;
  readonly #retryAfter: boolean;
  #state: number;

  constructor(limit: ServiceLimit) {
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

  retryAfterSeconds(nowMs: number): number | undefined {
    if (!this.#retryAfter) return undefined;
    return Math.ceil(this.#quota.waitMs(this.#state, 1, nowMs) / 1_000);
  }
}
