"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.EventHeap = void 0;
const typed_array_ts_1 = require("./typed-array.js");
/** A binary heap of events by time and order, on typed arrays, so that an event makes no garbage. */
class EventHeap {
    size = 0;
    #times;
    #orders;
    #events;
    #stamps;
    /** The two numbers of the event that {@link pop} removed. */
    event = 0;
    stamp = 0;
    constructor(capacity = 256) {
        this.#times = new Float64Array(capacity);
        this.#orders = new Float64Array(capacity);
        this.#events = new Int32Array(capacity);
        this.#stamps = new Int32Array(capacity);
    }
    /** The time of the next event; `Infinity` if there is none. */
    get nextAtMs() {
        return this.size > 0 ? this.#times[0] : Number.POSITIVE_INFINITY;
    }
    /** Of two events at one time the one with the lower order comes first. */
    push(atMs, order, event, stamp) {
        if (this.size === this.#times.length)
            this.#grow();
        const times = this.#times;
        let at = this.size;
        this.size += 1;
        while (at > 0) {
            const parent = (at - 1) >> 1;
            const parentAtMs = times[parent];
            if (parentAtMs < atMs || (parentAtMs === atMs && this.#orders[parent] < order))
                break;
            this.#move(parent, at);
            at = parent;
        }
        this.#put(at, atMs, order, event, stamp);
    }
    /** Removes the next event and sets {@link event} and {@link stamp} to its numbers. */
    pop() {
        this.event = this.#events[0];
        this.stamp = this.#stamps[0];
        this.size -= 1;
        const { size } = this;
        if (size === 0)
            return;
        const times = this.#times;
        const orders = this.#orders;
        const atMs = times[size];
        const order = orders[size];
        let at = 0;
        for (;;) {
            let child = 2 * at + 1;
            if (child >= size)
                break;
            let childAtMs = times[child];
            if (child + 1 < size) {
                const rightAtMs = times[child + 1];
                if (rightAtMs < childAtMs ||
                    (rightAtMs === childAtMs && orders[child + 1] < orders[child])) {
                    child += 1;
                    childAtMs = rightAtMs;
                }
            }
            if (childAtMs > atMs || (childAtMs === atMs && orders[child] > order))
                break;
            this.#move(child, at);
            at = child;
        }
        this.#put(at, atMs, order, this.#events[size], this.#stamps[size]);
    }
    #move(from, to) {
        this.#times[to] = this.#times[from];
        this.#orders[to] = this.#orders[from];
        this.#events[to] = this.#events[from];
        this.#stamps[to] = this.#stamps[from];
    }
    #put(at, atMs, order, event, stamp) {
        this.#times[at] = atMs;
        this.#orders[at] = order;
        this.#events[at] = event;
        this.#stamps[at] = stamp;
    }
    #grow() {
        const capacity = 2 * this.#times.length;
        this.#times = (0, typed_array_ts_1.copyInto)(new Float64Array(capacity), this.#times);
        this.#orders = (0, typed_array_ts_1.copyInto)(new Float64Array(capacity), this.#orders);
        this.#events = (0, typed_array_ts_1.copyInto)(new Int32Array(capacity), this.#events);
        this.#stamps = (0, typed_array_ts_1.copyInto)(new Int32Array(capacity), this.#stamps);
    }
}
exports.EventHeap = EventHeap;
//# sourceMappingURL=event-heap.js.map