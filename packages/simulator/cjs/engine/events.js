"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Events = exports.CHANGE = exports.EXPIRE = exports.LOOK = exports.TIMEOUT = exports.ANSWER = exports.FINISH = exports.REACH = exports.SEND = exports.ARRIVAL = void 0;
const event_queue_ts_1 = require("./event-queue.js");
/** The kinds of events. The bits above the kind hold the client, request or job that the event is about. */
exports.ARRIVAL = 0;
exports.SEND = 1;
exports.REACH = 2;
exports.FINISH = 3;
exports.ANSWER = 4;
exports.TIMEOUT = 5;
exports.LOOK = 6;
exports.EXPIRE = 7;
exports.CHANGE = 8;
const KIND_BITS = 4;
const KINDS = (1 << KIND_BITS) - 1;
const STAMP_BITS = 24;
const STAMPS = (1 << STAMP_BITS) - 1;
/** The future events of a simulation, and its clock. */
class Events {
    clock;
    #queue;
    /** The sum of what `touch` returned. Without a use of it the compiler would remove the reads. */
    touched = 0;
    /** `touch` reads the subject of an event that is due soon, so that it is in the processor's cache by then. */
    constructor(clock, dayMs, touch) {
        this.clock = clock;
        this.#queue = new event_queue_ts_1.EventQueue(dayMs, (events, from, to) => {
            let sum = 0;
            for (let at = from; at < to; at += 1)
                sum += touch(events[at] >> KIND_BITS);
            this.touched += sum;
        });
    }
    get nowMs() {
        return this.clock.nowMs;
    }
    get nextAtMs() {
        return this.#queue.nextAtMs;
    }
    /** `stamp` has 24 bits. `beside`, an outcome or an epoch, has 7. */
    add(delayMs, kind, subject, stamp = 0, beside = 0) {
        const atMs = this.clock.nowMs + delayMs;
        this.#queue.push(atMs, (subject << KIND_BITS) | kind, stamp | (beside << STAMP_BITS));
    }
    /** Moves the clock to the next event. {@link kind}, {@link subject}, {@link stamp} and {@link beside} describe it. */
    next() {
        this.clock.nowMs = this.#queue.nextAtMs;
        this.#queue.pop();
    }
    get kind() {
        return this.#queue.event & KINDS;
    }
    get subject() {
        return this.#queue.event >> KIND_BITS;
    }
    get stamp() {
        return this.#queue.stamp & STAMPS;
    }
    get beside() {
        return this.#queue.stamp >>> STAMP_BITS;
    }
}
exports.Events = Events;
//# sourceMappingURL=events.js.map