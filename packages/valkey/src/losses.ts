/** Within this time, in milliseconds, or that in which the bucket fills. */
const AGAIN_MS = 2_000;
const LEAST_KEPT_MS = 100;

/**
 * How often the store has lost the bucket, as far as this process noticed. A store that lost it once goes on from
 * what the processes know. One that loses it before it is full again, over and over, hears from none of them what
 * the others did: what each leases is then leased by all.
 */
export class Losses {
  readonly #fillMs: number;
  #lastMs = Number.NEGATIVE_INFINITY;
  #wasKept = true;

  /** `fillMs` is how long the bucket takes to fill. */
  constructor(fillMs: number) {
    this.#fillMs = Math.max(LEAST_KEPT_MS, fillMs);
  }

  /**
   * Takes note of an answer of the store.
   *
   * @throws ForgetfulStoreError if it has lost the bucket again
   */
  note(forgot: boolean, nowMs: number): void {
    const agoMs = nowMs - this.#lastMs;
    if (!forgot) {
      this.#wasKept ||= agoMs >= this.#fillMs;
      return;
    }
    const again = !this.#wasKept && agoMs <= Math.max(AGAIN_MS, this.#fillMs);
    this.#lastMs = nowMs;
    this.#wasKept = false;
    if (again) throw new ForgetfulStoreError(agoMs);
  }
}

/** What is told of a store that cannot be trusted to keep the bucket. */
export class ForgetfulStoreError extends Error {
  override readonly name = 'ForgetfulStoreError';

  constructor(agoMs: number) {
    super(
      `The store lost the bucket twice within ${Math.ceil(agoMs)} ms: is its memory full, are its keys evicted?`,
    );
  }
}
