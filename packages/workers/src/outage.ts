import { gcra } from '@ebb/core/bucket';
import type { DurableSetup } from './options.ts';

/** The delay before the first retry. It doubles with each retry, up to `retryMs`. */
const FIRST_RETRY_MS = 100;

/** A time in which the object is unreachable: how requests are served meanwhile, and when to retry. */
export class Outage {
  readonly mode: 'local' | 'open' | 'closed';
  /** The part of the quota that this isolate has meanwhile, from 0 to 1. */
  readonly share: number;
  error: unknown;
  retryAtMs = 0;
  readonly #setup: DurableSetup;
  readonly #quota: gcra.Quota;
  #emptyAtMs: number;
  #spent = 0;
  #retries = 0;

  /**
   * @param share 0 if it is not known
   * @param emptyAtMs tokens that come in before then are leased already, by this isolate or others
   */
  constructor(setup: DurableSetup, error: unknown, share: number, emptyAtMs: number, nowMs: number) {
    const { onStoreError, refillPerSecond, capacity } = setup;
    this.#setup = setup;
    this.share = onStoreError === 'local' ? share : 0;
    // An unknown share cannot be spent.
    this.mode = onStoreError === 'local' && share === 0 ? 'closed' : onStoreError;
    this.#quota = {
      refillPerSecond: refillPerSecond * (this.share || 1),
      capacity: capacity * (this.share || 1),
    };
    this.#emptyAtMs = emptyAtMs;
    this.failed(error, nowMs);
  }

  /** An attempt has failed. The delay is random within its second half, so that isolates do not retry at once. */
  failed(error: unknown, nowMs: number): void {
    const { retryMs, random } = this.#setup;
    this.error = error;
    this.retryAtMs = nowMs + Math.min(retryMs, FIRST_RETRY_MS * 2 ** this.#retries) * (1 - random() / 2);
    this.#retries = Math.min(this.#retries + 1, 30);
  }

  take(cost: number, nowMs: number): boolean {
    if (this.mode !== 'local') return this.mode === 'open';
    if (this.waitMs(cost, nowMs) > 0) return false;
    this.spend(cost, nowMs);
    return true;
  }

  /** How long until a request can take its tokens, in milliseconds; for one that costs more than the share holds, with a debt. */
  waitMs(cost: number, nowMs: number): number {
    if (this.mode !== 'local') return 0;
    return gcra.waitMs(this.#quota, this.#emptyAtMs, Math.min(cost, this.#quota.capacity), nowMs);
  }

  /** Takes tokens whether they are there or not. */
  spend(cost: number, nowMs: number): void {
    this.#spent += cost;
    this.#emptyAtMs = gcra.spend(this.#quota, this.#emptyAtMs, cost, nowMs);
  }

  tokens(nowMs: number): number {
    return this.mode === 'local' ? gcra.tokensAt(this.#quota, this.#emptyAtMs, nowMs) : 0;
  }

  /** The tokens to charge the bucket of all afterwards. It has filled meanwhile, unless others could reach it. */
  get debt(): number {
    return Math.min(this.#spent, this.#quota.capacity);
  }
}
