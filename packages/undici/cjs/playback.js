"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Playback = void 0;
const player_ts_1 = require("./player.js");
/** Gives the handler a response that was set aside. */
class Playback extends player_ts_1.Player {
    rawHeaders;
    rawTrailers;
    #aside;
    #downstream;
    #at = 0;
    constructor(aside, downstream) {
        super();
        this.#aside = aside;
        this.#downstream = downstream;
        this.rawHeaders = aside.head.rawHeaders;
        this.rawTrailers = aside.rawTrailers;
    }
    start() {
        const { head, error } = this.#aside;
        const { status, headers, message } = head;
        this.begin(() => this.#downstream.respond(this, status, headers, message), error !== undefined);
    }
    next() {
        const downstream = this.#downstream;
        if (downstream.over)
            return false;
        const { chunks, error, trailers } = this.#aside;
        const chunk = chunks[this.#at];
        if (chunk === undefined && error !== undefined && this.delaysError())
            return false;
        this.#at += 1;
        if (chunk !== undefined)
            downstream.data(chunk);
        else if (error !== undefined)
            downstream.fail(error);
        else
            downstream.end(this, trailers);
        return true;
    }
    ended(error) {
        // undici also reports what a handler throws as an error.
        this.#downstream.fail(error);
    }
}
exports.Playback = Playback;
//# sourceMappingURL=playback.js.map