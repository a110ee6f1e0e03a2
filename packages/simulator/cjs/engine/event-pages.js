"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.EventPages = exports.NONE = exports.CHUNK = void 0;
const typed_array_ts_1 = require("./typed-array.js");
/** Events in a chunk. A page takes memory chunk by chunk. */
exports.CHUNK = 32;
exports.NONE = -1;
/**
 * Pages of unsorted events. Each page is a chain of chunks, and all chunks share a few typed arrays, so that an
 * event makes no garbage.
 */
class EventPages {
    /** The numbers of each event, at `chunk * CHUNK` and after. Replaced when they grow. */
    times = new Float64Array(64 * exports.CHUNK);
    orders = new Float64Array(64 * exports.CHUNK);
    events = new Int32Array(64 * exports.CHUNK);
    stamps = new Int32Array(64 * exports.CHUNK);
    /** The last chunk of each page, and how many events are in it. All earlier chunks of the page are full. */
    #lastChunk;
    #filled;
    /** The chunk before each chunk of a page; for a free chunk the next free one. */
    #chain = new Int32Array(64);
    #freeChunk = exports.NONE;
    #chunks = 0;
    constructor(pages) {
        this.#lastChunk = new Int32Array(pages).fill(exports.NONE);
        this.#filled = new Int32Array(pages);
    }
    isEmpty(page) {
        return this.#lastChunk[page] === exports.NONE;
    }
    put(page, atMs, order, event, stamp) {
        let chunk = this.#lastChunk[page];
        let filled = this.#filled[page];
        if (chunk === exports.NONE || filled === exports.CHUNK) {
            const fresh = this.#takeChunk();
            this.#chain[fresh] = chunk;
            this.#lastChunk[page] = fresh;
            chunk = fresh;
            filled = 0;
        }
        this.#filled[page] = filled + 1;
        const at = chunk * exports.CHUNK + filled;
        this.times[at] = atMs;
        this.orders[at] = order;
        this.events[at] = event;
        this.stamps[at] = stamp;
    }
    /** How many events the last chunk of a page holds. */
    filled(page) {
        return this.#filled[page];
    }
    /** Empties a page and returns its last chunk, from which {@link free} leads to the others. */
    detach(page) {
        const chunk = this.#lastChunk[page];
        this.#lastChunk[page] = exports.NONE;
        return chunk;
    }
    /** Frees a detached chunk and returns the one before it, which is full; below 0 after the first. */
    free(chunk) {
        const before = this.#chain[chunk];
        this.#chain[chunk] = this.#freeChunk;
        this.#freeChunk = chunk;
        return before;
    }
    #takeChunk() {
        const free = this.#freeChunk;
        if (free !== exports.NONE) {
            this.#freeChunk = this.#chain[free];
            return free;
        }
        if (this.#chunks === this.#chain.length)
            this.#grow();
        this.#chunks += 1;
        return this.#chunks - 1;
    }
    #grow() {
        const chunks = 2 * this.#chain.length;
        this.#chain = (0, typed_array_ts_1.copyInto)(new Int32Array(chunks), this.#chain);
        this.times = (0, typed_array_ts_1.copyInto)(new Float64Array(chunks * exports.CHUNK), this.times);
        this.orders = (0, typed_array_ts_1.copyInto)(new Float64Array(chunks * exports.CHUNK), this.orders);
        this.events = (0, typed_array_ts_1.copyInto)(new Int32Array(chunks * exports.CHUNK), this.events);
        this.stamps = (0, typed_array_ts_1.copyInto)(new Int32Array(chunks * exports.CHUNK), this.stamps);
    }
}
exports.EventPages = EventPages;
//# sourceMappingURL=event-pages.js.map