/** Two losses within this time, or within the time in which the bucket fills, start an outage. In milliseconds. */
const REPEATED_MS = 2_000;

/** A store that has kept the bucket at least this long, or until it was full, has recovered from a loss. */
const LEAST_KEPT_MS = 100;

/**
 * Detects a store that loses the bucket repeatedly. After one loss the processes restore what they know. If the store
 * loses it again before the bucket is full, it never learns what all processes have leased together.
 */
export class LossDetector {
  readonly #setup: { readonly fillMs: number };
  #lastMs = Number.NEGATIVE_INFINITY;
  #wasKept = true;

  /** @param setup how long the bucket takes to fill, as it is at the time */
  constructor(setup: { readonly fillMs: number }) {
    this.#setup = setup;
  }

  get #fillMs(): number {
    return Math.max(LEAST_KEPT_MS, this.#setup.fillMs);
  }

  /** Records whether a reply shows that the store has lost the bucket. Returns an error if it has lost it again. */
  record(lostBucket: boolean, nowMs: number): ForgetfulStoreError | undefined {
    const agoMs = nowMs - this.#lastMs;
    if (!lostBucket) {
      this.#wasKept ||= agoMs >= this.#fillMs;
      return undefined;
    }
    const again = !this.#wasKept && agoMs <= Math.max(REPEATED_MS, this.#fillMs);
    this.#lastMs = nowMs;
    this.#wasKept = false;
    return again ? new ForgetfulStoreError(agoMs) : undefined;
  }
}

/** The `error` of a `lost` event if the store does not keep the bucket. */
export class ForgetfulStoreError extends Error {
  override readonly name = 'ForgetfulStoreError';

  constructor(agoMs: number) {
    super(
      `The store lost the bucket twice within ${Math.ceil(agoMs)} ms. Check its memory limit and its eviction policy.`,
    );
  }
}
