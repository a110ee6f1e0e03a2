import type { Clock } from '@ebb/core';

/** A sum over a sliding time window, in slots: when time moves on by a slot, the oldest slot is dropped. */
export class WindowCount {
  readonly #clock: Clock;
  readonly #slotMs: number;
  readonly #slots: Float64Array;
  #slot = 0;
  #sum = 0;

  constructor(clock: Clock, windowMs: number, slots: number) {
    this.#clock = clock;
    this.#slotMs = windowMs / slots;
    this.#slots = new Float64Array(slots);
  }

  get sum(): number {
    this.#moveOn();
    return this.#sum;
  }

  add(amount: number): void {
    this.#moveOn();
    const at = this.#slot % this.#slots.length;
    this.#slots[at] = (this.#slots[at] as number) + amount;
    this.#sum += amount;
  }

  #moveOn(): void {
    const now = Math.floor(this.#clock.now() / this.#slotMs);
    for (let step = Math.max(this.#slot, now - this.#slots.length); step < now; step += 1) {
      const at = (step + 1) % this.#slots.length;
      this.#sum -= this.#slots[at] as number;
      this.#slots[at] = 0;
    }
    this.#slot = now;
  }
}
