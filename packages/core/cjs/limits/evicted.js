"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Evicted = void 0;
function setBeforeUse(value, call) {
    if ('beforeUse' in value)
        value.beforeUse = call;
}
/**
 * Values that were evicted from a map because they are as good as new. A caller may still hold one, so it is found again
 * as long as it is in memory, and no key ever has two. The time of garbage collection does not matter: a value that
 * nothing refers to behaves like a new one.
 */
class Evicted {
    #refs = new Map();
    #onUse;
    #round;
    /** @param onUse called when an evicted value is used */
    constructor(onUse) {
        this.#onUse = onUse;
        this.#round = this.#refs.entries();
    }
    get size() {
        return this.#refs.size;
    }
    add(key, value) {
        this.#tidy();
        this.#refs.set(key, new WeakRef(value));
        setBeforeUse(value, () => {
            this.recall(key);
            this.#onUse(key, value);
        });
    }
    /** The values that are still in memory. */
    *values() {
        for (const ref of this.#refs.values()) {
            const value = ref.deref();
            if (value !== undefined)
                yield value;
        }
    }
    /** Removes and returns the value of a key, if it is still in memory. */
    recall(key) {
        const value = this.#refs.get(key)?.deref();
        this.#refs.delete(key);
        if (value !== undefined)
            setBeforeUse(value, undefined);
        return value;
    }
    /** Inspects two references for each value that is added, so that collected ones do not accumulate. */
    #tidy() {
        for (let looks = 0; looks < 2; looks += 1) {
            const { value: entry } = this.#round.next();
            if (entry === undefined)
                this.#round = this.#refs.entries();
            else if (entry[1].deref() === undefined)
                this.#refs.delete(entry[0]);
        }
    }
}
exports.Evicted = Evicted;
//# sourceMappingURL=evicted.js.map