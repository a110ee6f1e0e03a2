import type { OnStoreError } from './events.ts';
import { LocalShare } from './local-share.ts';
import { ForgetfulStoreError } from './loss-detector.ts';
import type { FleetSetup } from './options.ts';

/** The first time between two tries; it doubles up to `retryMs`. */
const FIRST_RETRY_MS = 100;

/**
 * With more calls unanswered than these, no other is made for a while: the client may keep all of them, to send them
 * in the end.
 */
const MAX_UNANSWERED = 20;
const CROWDED_RETRY_MS = 2_000;

/** For so long after the last request tries are made without being asked for. */
const ACTIVE_MS = 5_000;

/** How long until the next try after so many, at random, so that a fleet does not come all at once. */
export function retryDelayMs({ retryMs, random }: FleetSetup, retries: number): number {
  return Math.min(retryMs, FIRST_RETRY_MS * 2 ** retries) * (1 - random() / 2);
}

/** The time in which the store cannot be asked, as this process lives through it. */
export class Outage {
  readonly sinceMs: number;
  readonly error: unknown;
  readonly mode: OnStoreError;
  /** The part of the quota that is ours meanwhile; 0: none. */
  readonly share: number;
  readonly local: LocalShare;
  /** When the bucket is shared again; unknown before the store answers. */
  sharedAtMs: number = Number.POSITIVE_INFINITY;
  /** The store replies, but does not keep the bucket. */
  readonly isForgetful: boolean;
  #usedAtMs: number;
  #nextRetryMs = 0;
  #lastRetryMs = 0;
  #retries = 0;
  readonly #setup: FleetSetup;

  /**
   * `processes` is how many there were last; 0 when that was never heard. Tokens that come in before `emptyAtMs`
   * are leased already, by us or by others.
   */
  constructor(
    setup: FleetSetup,
    error: unknown,
    processes: number,
    sinceMs: number,
    emptyAtMs: number,
    nowMs: number,
  ) {
    const { onStoreError, localShare, refillPerSecond, capacity } = setup;
    this.#setup = setup;
    this.error = error;
    this.sinceMs = sinceMs;
    this.isForgetful = error instanceof ForgetfulStoreError;
    this.#usedAtMs = nowMs;
    this.share = onStoreError === 'local' ? (localShare ?? (processes > 0 ? 1 / processes : 0)) : 0;
    // A share that nobody knows cannot be spent.
    this.mode = onStoreError === 'local' && this.share === 0 ? 'closed' : onStoreError;
    const part = this.share || 1;
    this.local = new LocalShare(
      refillPerSecond * 1_000 * part,
      capacity * 1e6 * part,
      emptyAtMs,
      setup.random,
    );
    this.scheduleRetry(nowMs);
  }

  take(amount: number, nowMs: number): boolean {
    this.#usedAtMs = nowMs;
    return this.mode === 'open' || (this.mode === 'local' && this.local.take(amount, nowMs));
  }

  /** Sets the time of the next try. */
  scheduleRetry(nowMs: number): void {
    const delayMs = retryDelayMs(this.#setup, this.#retries);
    this.#retries = Math.min(this.#retries + 1, 30);
    this.#lastRetryMs = nowMs;
    this.#nextRetryMs = nowMs + delayMs;
  }

  /** A sign of life came. */
  retryNow(): void {
    this.#nextRetryMs = Number.NEGATIVE_INFINITY;
  }

  /** When to try next, while so many calls are unanswered. */
  nextRetryMs(open: number): number {
    if (this.sharedAtMs < Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    return open < MAX_UNANSWERED
      ? this.#nextRetryMs
      : Math.max(this.#nextRetryMs, this.#lastRetryMs + CROWDED_RETRY_MS);
  }

  /** When to look after it, even if nobody waits. */
  nextCheckMs(open: number, waiting: boolean): number {
    const checkMs = Math.min(this.sharedAtMs, this.nextRetryMs(open));
    return waiting || checkMs <= this.#usedAtMs + ACTIVE_MS ? checkMs : Number.POSITIVE_INFINITY;
  }

  /**
   * What is to be paid for what was spent beside those who shared the bucket meanwhile. `resumeInMs` says since when
   * they did: since the end of the outage, or all the time, when only this process was cut off. Then it is no more
   * than what its share of the bucket holds, so that a long outage of one does not starve the others.
   */
  debt(outageMs: number, resumeInMs: number): number {
    if (resumeInMs > 0) return 0;
    const wasAlone = -resumeInMs >= outageMs;
    const { capacity } = this.#setup;
    return Math.min(this.local.maxSpentIn(-resumeInMs), capacity * 1e6 * (wasAlone ? this.share : 1));
  }

  /**
   * How long the shared bucket stays shut for the first who finds the store again, so that all others find it
   * before, and nobody spends a share beside it. Everybody's own share goes on meanwhile.
   */
  handoverMs(nowMs: number): number {
    const alone = this.mode !== 'local' || this.share === 1;
    return alone ? 0 : 2 * Math.min(this.#setup.retryMs, nowMs - this.sinceMs);
  }
}
