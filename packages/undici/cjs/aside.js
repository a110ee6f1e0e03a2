"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Aside = void 0;
const adapter_1 = require("@ebb/core/adapter");
const held_ts_1 = require("./held.js");
/** How much of a response is kept in case its dispatcher is closed before the retry, in bytes. */
const KEPT_FOR_CLOSE_BYTES = 16 * 1024;
const SOON = Promise.resolve();
const NO_TRAILERS = {};
/** A response that is to be followed by a retry. */
class Aside extends adapter_1.SetAside {
    head;
    trailers = NO_TRAILERS;
    rawTrailers = null;
    /** @param attempt `giveUp` aborts its connection */
    constructor(head, session, attempt) {
        const bounds = {
            clock: session.policy.clock,
            longestMs: session.discardMs,
            mostKeptBytes: session.keepsAnswer ? adapter_1.MOST_DISCARDED_BYTES : KEPT_FOR_CLOSE_BYTES,
            contentLength: session.request.method === 'HEAD' ? 0 : Number(head.headers['content-length']),
        };
        super(bounds, attempt);
        this.head = head;
    }
    /** True if it has all of its body. */
    get isComplete() {
        return this.isWhole && this.parts !== undefined;
    }
    limit() {
        // A connection that is not wanted is closed at once. Most responses end in the turn of their headers, and need no timer.
        if (this.bounds.contentLength > adapter_1.MOST_DISCARDED_BYTES)
            super.limit();
        else
            SOON.then(() => super.limit());
    }
    /** Takes what has arrived of a response that was held back. */
    takeOver({ chunks, isOver, error, rawTrailers, trailers }) {
        for (const chunk of chunks)
            this.take(chunk);
        if (error !== undefined)
            this.end(false, error);
        else if (isOver)
            this.arrived(rawTrailers, trailers);
    }
    /** All of it has arrived. */
    arrived(rawTrailers, trailers) {
        this.rawTrailers = rawTrailers;
        this.trailers = trailers;
        this.end(true);
    }
    /** The body ended early. */
    break(error) {
        this.end(false, error);
    }
    /** Plays it after all. */
    held(listener) {
        const held = new held_ts_1.Held(this.head, undefined, listener);
        held.chunks = this.parts ?? [];
        held.error = (0, adapter_1.missing)(this);
        held.rawTrailers = this.rawTrailers;
        held.trailers = this.trailers;
        held.isOver = true;
        return held;
    }
}
exports.Aside = Aside;
//# sourceMappingURL=aside.js.map