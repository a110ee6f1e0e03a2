/** A second loss within this time, in milliseconds, or within the time in which the bucket fills, is one too many. */
const AGAIN_MS = 2_000;
const LEAST_KEPT_MS = 100;

/**
 * How often the store has lost the bucket, as far as this process noticed. A store that lost it once goes on from
 * what the processes know. One that loses it over and over, before it is full again, never knows what all of them
 * leased together.
 */
export class LossDetector {
  readonly #fillMs: number;
  #lastMs = Number.NEGATIVE_INFINITY;
  #wasKept = true;

  /** `fillMs` is how long the bucket takes to fill. */
  constructor(fillMs: number) {
    this.#fillMs = Math.max(LEAST_KEPT_MS, fillMs);
  }

  /**
   * Notes whether a reply shows that the store has lost the bucket.
   *
   * @throws ForgetfulStoreError if it has lost the bucket again
   */
  record(lostBucket: boolean, nowMs: number): void {
    const agoMs = nowMs - this.#lastMs;
    if (!lostBucket) {
      this.#wasKept ||= agoMs >= this.#fillMs;
      return;
    }
    const again = !this.#wasKept && agoMs <= Math.max(AGAIN_MS, this.#fillMs);
    this.#lastMs = nowMs;
    this.#wasKept = false;
    if (again) throw new ForgetfulStoreError(agoMs);
  }
}

/** The `error` of a `lost` event, if the store does not keep the bucket. */
export class ForgetfulStoreError extends Error {
  override readonly name = 'ForgetfulStoreError';

  constructor(agoMs: number) {
    super(
      `The store lost the bucket twice within ${Math.ceil(agoMs)} ms: is its memory full, are its keys evicted?`,
    );
  }
}
