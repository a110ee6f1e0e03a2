"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Heap = void 0;
/** A binary heap from which any entry can be removed. */
class Heap {
    #entries = [];
    #isBefore;
    constructor(isBefore) {
        this.#isBefore = isBefore;
    }
    get size() {
        return this.#entries.length;
    }
    get first() {
        return this.#entries[0];
    }
    add(entry) {
        this.#rise(entry, this.#entries.length);
    }
    /** Does nothing if the entry is not in the heap. */
    remove(entry) {
        const { heapIndex } = entry;
        if (heapIndex < 0)
            return;
        entry.heapIndex = -1;
        const last = this.#entries.pop();
        if (last === entry)
            return;
        if (heapIndex > 0 && this.#isBefore(last, this.#parentOf(heapIndex)))
            this.#rise(last, heapIndex);
        else
            this.#sink(last, heapIndex);
    }
    #parentOf(index) {
        return this.#entries[(index - 1) >> 1];
    }
    #place(entry, index) {
        this.#entries[index] = entry;
        entry.heapIndex = index;
    }
    /** Puts it into the free place at `index`, or into one above, whose owners move down. */
    #rise(entry, index) {
        let at = index;
        while (at > 0) {
            const parent = this.#parentOf(at);
            if (!this.#isBefore(entry, parent))
                break;
            this.#place(parent, at);
            at = (at - 1) >> 1;
        }
        this.#place(entry, at);
    }
    /** Puts it into the free place at `index`, or into one below, whose owners move up. */
    #sink(entry, index) {
        let at = index;
        for (;;) {
            let below = 2 * at + 1;
            let child = this.#entries[below];
            const right = this.#entries[below + 1];
            if (child === undefined)
                break;
            if (right !== undefined && this.#isBefore(right, child)) {
                child = right;
                below += 1;
            }
            if (!this.#isBefore(child, entry))
                break;
            this.#place(child, at);
            at = below;
        }
        this.#place(entry, at);
    }
}
exports.Heap = Heap;
//# sourceMappingURL=heap.js.map