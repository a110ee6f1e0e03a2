import type { OnStoreError } from './events.ts';
import { LocalShare } from './local-share.ts';
import { ForgetfulStoreError } from './loss-detector.ts';
import type { FleetSetup } from './options.ts';
import type { Amounts } from './store-call.ts';

/** The delay before the first retry. It doubles with each retry, up to `retryMs`. */
const FIRST_RETRY_MS = 100;

/**
 * With this many calls unanswered, retries come only every `CROWDED_RETRY_MS`: some clients keep all of them, and send
 * them when they are connected again.
 */
const MAX_UNANSWERED = 20;
const CROWDED_RETRY_MS = 2_000;

/** A process retries by itself for so long after its last request. In milliseconds. */
const ACTIVE_MS = 5_000;

/** How long to wait before a retry, at random within the second half of it, so that a fleet does not retry at once. */
export function retryDelayMs({ retryMs, random }: FleetSetup, retries: number): number {
  return Math.min(retryMs, FIRST_RETRY_MS * 2 ** retries) * (1 - random() / 2);
}

/** A time in which the store is unreachable: how requests are served meanwhile, and when to retry. */
export class Outage {
  readonly sinceMs: number;
  /** The error that started it. */
  readonly error: unknown;
  mode: OnStoreError;
  /** The part of the quota that this process has meanwhile, from 0 to 1. A reply that comes late may change it. */
  share: number;
  /** The tokens of each unit that this process may spend. */
  readonly local: readonly LocalShare[];
  /** When the bucket is shared again; `Infinity` before the store replies. */
  sharedAtMs: number = Number.POSITIVE_INFINITY;
  /** The store replies but does not keep the bucket. */
  readonly isForgetful: boolean;
  readonly #owed: number[] = [];
  #usedAtMs: number;
  #nextRetryMs = 0;
  #lastRetryMs = 0;
  #retries = 0;
  readonly #setup: FleetSetup;

  /**
   * @param share the share that the store has recorded for this process; 0 for none
   * @param emptyAtMs tokens that come in before then are leased already, by this process or others
   */
  constructor(
    setup: FleetSetup,
    error: unknown,
    share: number,
    sinceMs: number,
    emptyAtMs: Amounts,
    nowMs: number,
  ) {
    const { onStoreError, localShare, limits, random } = setup;
    this.#setup = setup;
    this.error = error;
    this.sinceMs = sinceMs;
    this.isForgetful = error instanceof ForgetfulStoreError;
    this.#usedAtMs = nowMs;
    this.share = onStoreError === 'local' ? (localShare ?? share) : 0;
    // An unknown share cannot be spent.
    this.mode = onStoreError === 'local' && this.share === 0 ? 'closed' : onStoreError;
    const part = this.share || 1;
    this.local = limits.map(
      ({ refillPerSecond, capacity }, unit) =>
        new LocalShare(
          refillPerSecond * 1_000 * part,
          capacity * 1e6 * part,
          emptyAtMs[unit] as number,
          random,
        ),
    );
    this.scheduleRetry(nowMs);
  }

  /** Takes in the recorded share from a late reply. Returns whether the share changes the mode. */
  learn(share: number, nowMs: number): boolean {
    const { localShare, onStoreError } = this.#setup;
    if (onStoreError !== 'local' || localShare !== undefined || share === this.share || share === 0)
      return false;
    const isFirst = this.share === 0;
    for (const local of this.local) local.resize(share / (this.share || 1), nowMs);
    this.share = share;
    this.mode = 'local';
    return isFirst;
  }

  /** A request needs the store. */
  used(nowMs: number): void {
    this.#usedAtMs = nowMs;
  }

  /** Takes tokens, in millionths, if the mode and the local share allow it. */
  take(amounts: Amounts, nowMs: number): boolean {
    this.used(nowMs);
    if (this.mode !== 'local') return this.mode === 'open';
    const needed = this.local.filter((_, unit) => (amounts[unit] as number) > 0);
    const isThere = this.local.map(
      (local, unit) => !needed.includes(local) || local.collect(amounts[unit] as number, nowMs),
    );
    if (isThere.includes(false)) return false;
    this.local.forEach((local, unit) => {
      if (needed.includes(local)) local.take(amounts[unit] as number, nowMs);
    });
    return true;
  }

  /** Sets the time of the next retry. Called when a retry is made. */
  scheduleRetry(nowMs: number): void {
    const delayMs = retryDelayMs(this.#setup, this.#retries);
    this.#retries = Math.min(this.#retries + 1, 30);
    this.#lastRetryMs = nowMs;
    this.#nextRetryMs = nowMs + delayMs;
  }

  /** Makes the next retry due: the store has replied to an earlier call. */
  retryNow(): void {
    this.#nextRetryMs = Number.NEGATIVE_INFINITY;
  }

  /** When to retry next, with so many calls unanswered; `Infinity` once the store has replied. */
  nextRetryMs(unanswered: number): number {
    if (this.sharedAtMs < Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    if (unanswered < MAX_UNANSWERED) return this.#nextRetryMs;
    return Math.max(this.#nextRetryMs, this.#lastRetryMs + CROWDED_RETRY_MS);
  }

  /** When a timer is needed; `Infinity` if no request waits and there was none lately. */
  nextCheckMs(unanswered: number, waiting: boolean): number {
    const checkMs = Math.min(this.sharedAtMs, this.nextRetryMs(unanswered));
    return waiting || checkMs <= this.#usedAtMs + ACTIVE_MS ? checkMs : Number.POSITIVE_INFINITY;
  }

  /**
   * The tokens to pay back because they were spent while other processes already shared the bucket, in millionths. `resumeInMs` is from the
   * reply: at 0 or below, the other processes have shared the bucket for so long, unless their replies were lost as well. The debt is
   * therefore at most this process's share of the capacity: a long outage must not starve the fleet afterwards. Tokens that an earlier
   * attempt has paid back are not paid again.
   */
  debt(resumeInMs: number): Amounts {
    return this.#setup.limits.map(({ capacity }, unit) => {
      const spent = (this.local[unit] as LocalShare).maxSpentIn(-resumeInMs);
      const owed = Math.min(spent, capacity * 1e6 * this.share);
      const before = this.#owed[unit] ?? 0;
      this.#owed[unit] = Math.max(before, owed);
      return Math.max(0, owed - before);
    });
  }

  /**
   * How long the first process to reach the store keeps the shared bucket closed, in milliseconds. The others reach it
   * within that time, so none spends its local share beside the shared bucket. Local shares go on meanwhile.
   */
  handoverMs(nowMs: number): number {
    const hasNoOthers = this.mode !== 'local' || this.share === 1;
    return hasNoOthers ? 0 : 2 * Math.min(this.#setup.retryMs, nowMs - this.sinceMs);
  }
}
