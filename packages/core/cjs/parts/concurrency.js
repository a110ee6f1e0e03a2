"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ConcurrencyPart = void 0;
const _platform_1 = require("#platform");
const clock_ts_1 = require("../base/clock.js");
const body_end_ts_1 = require("../body-end/body-end.js");
const admit_ts_1 = require("../request/admit.js");
/** How many slots of each limit are held while user code runs, such as a body factory. */
const occupied = new WeakMap();
/** Every attempt holds a slot of the limit, until its connection is free. */
class ConcurrencyPart {
    name = 'concurrency';
    place = 'slot';
    admit = admit_ts_1.admit;
    #limit;
    constructor(limit) {
        this.#limit = limit;
    }
    begin(call) {
        // The outermost layer has the slot.
        return call.around.isInner ? undefined : new SlotTurn(this.#limit, call);
    }
}
exports.ConcurrencyPart = ConcurrencyPart;
class SlotTurn {
    isSlot = true;
    whenBodyEnds = body_end_ts_1.whenBodyEnds;
    #limit;
    #call;
    #slot;
    constructor(limit, call) {
        this.#limit = limit;
        this.#call = call;
    }
    enter() {
        // A deadlock otherwise: it would wait for a call that waits for it.
        if (this.#slot !== undefined || this.#call.around.slots.includes(this.#limit))
            return undefined;
        this.#take(this.#limit.tryAcquire());
        return this.#slot === undefined ? this : undefined;
    }
    #take(slot) {
        this.#slot = slot;
        this.#call.limit = slot && this.#limit;
    }
    async wait(options) {
        const limit = this.#limit;
        // Where the runtime knows who makes a request, one of such user code does not wait. Elsewhere no slot may become free.
        const isBlocked = !(0, _platform_1.knowsAsyncContext)() && (occupied.get(limit) ?? 0) >= limit.stats().maxConcurrent;
        if (isBlocked)
            this.#call.emit({ type: 'blocked' });
        // Nothing else may do so: the slots may be held by responses that have arrived, but are not read.
        const slot = await (0, clock_ts_1.keepAlive)(limit.acquire(options));
        this.#take(slot);
        return slot.waitedMs;
    }
    leave(outcome) {
        if (outcome === undefined)
            this.free();
    }
    free(once) {
        const slot = this.#slot;
        this.#take(undefined);
        if (slot === undefined || once === undefined)
            slot?.release();
        else
            void once.then(() => slot.release());
    }
    occupy(by) {
        const limit = this.#limit;
        occupied.set(limit, (occupied.get(limit) ?? 0) + by);
    }
}
//# sourceMappingURL=concurrency.js.map