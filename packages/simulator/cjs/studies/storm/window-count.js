"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.WindowCount = void 0;
/** A sum over a sliding time window, in slots: when time moves on by a slot, the oldest slot is dropped. */
class WindowCount {
    #clock;
    #slotMs;
    #slots;
    #slot = 0;
    #sum = 0;
    constructor(clock, windowMs, slots) {
        this.#clock = clock;
        this.#slotMs = windowMs / slots;
        this.#slots = new Float64Array(slots);
    }
    get sum() {
        this.#moveOn();
        return this.#sum;
    }
    add(amount) {
        this.#moveOn();
        const at = this.#slot % this.#slots.length;
        this.#slots[at] = this.#slots[at] + amount;
        this.#sum += amount;
    }
    #moveOn() {
        const now = Math.floor(this.#clock.now() / this.#slotMs);
        for (let step = Math.max(this.#slot, now - this.#slots.length); step < now; step += 1) {
            const at = (step + 1) % this.#slots.length;
            this.#sum -= this.#slots[at];
            this.#slots[at] = 0;
        }
        this.#slot = now;
    }
}
exports.WindowCount = WindowCount;
//# sourceMappingURL=window-count.js.map