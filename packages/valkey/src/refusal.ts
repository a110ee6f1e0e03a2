/** The store's last refusal to lease tokens, and how long it stands. Amounts are millionths of a token. */
export class Refusal {
  readonly #refillPerMs: number;
  #amount = 0;
  #byMs = Number.NEGATIVE_INFINITY;
  #untilMs = Number.NEGATIVE_INFINITY;

  constructor(refillPerMs: number) {
    this.#refillPerMs = refillPerMs;
  }

  /** `amount` tokens cannot come before `byMs`, and asking again is useless before `untilMs`. */
  set(amount: number, byMs: number, untilMs: number): void {
    this.#amount = amount;
    this.#byMs = byMs;
    this.#untilMs = untilMs;
  }

  clear(): void {
    this.#untilMs = Number.NEGATIVE_INFINITY;
  }

  /** Whether a lease of as many tokens, needed by `byMs`, would be refused as well. */
  covers(amount: number, byMs: number, nowMs: number): boolean {
    return nowMs < this.#untilMs && amount >= this.#amount && byMs <= this.#byMs;
  }

  /** When to ask again; `Infinity` if no refusal stands. */
  retryAtMs(nowMs: number): number {
    return this.#untilMs > nowMs ? this.#untilMs : Number.POSITIVE_INFINITY;
  }

  /** Ends the refusal if its tokens come in time after all, because other requests have left the queue. */
  observe(emptyAtMs: number): void {
    if (emptyAtMs + this.#amount / this.#refillPerMs <= this.#byMs) this.clear();
  }
}
