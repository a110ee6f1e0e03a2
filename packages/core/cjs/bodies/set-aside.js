"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SetAside = exports.LONGEST_DISCARD_MS = exports.MOST_DISCARDED_BYTES = void 0;
exports.missing = missing;
const clock_ts_1 = require("../base/clock.js");
const on_abort_ts_1 = require("../base/on-abort.js");
/** The most bytes of a discarded body that are read. For a longer one, closing the connection is cheaper. */
exports.MOST_DISCARDED_BYTES = 256 * 1024;
/** The longest time for reading a discarded body, in milliseconds. A body that has not ended by then may never end. */
exports.LONGEST_DISCARD_MS = 1_000;
const SOON = Promise.resolve();
const NONE = [];
/** In bytes; for a string in characters, which is precise enough for a limit. */
function sizeOf(part) {
    const { byteLength, length } = part;
    return byteLength ?? length ?? 0;
}
/**
 * A body whose response is to be followed by a retry. It is read to its end, within bounds, so that the retry can use its
 * connection; and it is kept, because it becomes the result if the retry is not sent. A source gives it to `take` and `end`.
 */
class SetAside {
    bounds;
    /** The body as far as it came; `undefined` if it is too long to keep. */
    parts = NONE;
    /** True once nothing more of it will come. */
    isOver = false;
    /** True if it was read to its end, kept or not. */
    isWhole = false;
    /** What it broke with. */
    error;
    /** Resolves when the connection can be used again, or is closed. Never rejects. */
    released;
    #source;
    #bytes = 0;
    #callOff;
    #release;
    /** @param source `giveUp` closes the connection */
    constructor(bounds, source) {
        this.bounds = bounds;
        this.#source = source;
        this.released = new Promise((resolve) => {
            this.#release = resolve;
        });
    }
    /** Gives the body up when its time is over, or at once if its `Content-Length` is too large. To be called once. */
    limit() {
        const { clock, longestMs, contentLength, signal } = this.bounds;
        const giveUp = () => this.#giveUp();
        if (contentLength > exports.MOST_DISCARDED_BYTES || signal?.aborted)
            giveUp();
        if (this.isOver) {
            (0, clock_ts_1.inNextTurn)(this.#release);
            return;
        }
        const cancelTimer = clock.schedule(giveUp, longestMs);
        // In a later turn, because the client may cancel the body itself on abort. If a branch of the body is cancelled before
        // that, Node 22 has a rejection that cannot be handled.
        const forget = signal && (0, on_abort_ts_1.onAbort)(signal, () => (0, clock_ts_1.inNextTurn)(giveUp));
        this.#callOff = () => {
            cancelTimer();
            forget?.();
        };
    }
    /** A part has arrived. */
    take(part) {
        if (this.isOver)
            return;
        this.#bytes += sizeOf(part);
        if (this.#bytes > this.bounds.mostKeptBytes)
            this.parts = undefined;
        // A literal has no room for more parts, which most of these responses do not have.
        else if (this.parts === NONE)
            this.parts = [part];
        else
            this.parts?.push(part);
        if (this.#bytes > exports.MOST_DISCARDED_BYTES)
            this.#giveUp();
    }
    /** @param isWhole false if the body ended early */
    end(isWhole, error) {
        if (this.isOver)
            return;
        this.isOver = true;
        this.isWhole = isWhole;
        this.error = error;
        if (this.#callOff === undefined)
            return;
        this.#callOff();
        // A client may free a connection in the turn after its response has ended, and ask for that turn after its last event.
        SOON.then(() => (0, clock_ts_1.inNextTurn)(this.#release));
    }
    #giveUp() {
        if (this.isOver)
            return;
        this.parts = undefined;
        this.end(false);
        this.#source.giveUp();
    }
}
exports.SetAside = SetAside;
/** Why the parts are not the whole body that was set aside; `undefined` if they are. */
function missing({ isWhole, parts, error, bounds }) {
    if (isWhole && parts !== undefined)
        return undefined;
    const most = `${bounds.mostKeptBytes / 1024} KiB`;
    const text = `The body of this response was discarded for a retry, which was then not sent: it was longer than ${most}, or did not end in time`;
    return error ?? new Error(text);
}
//# sourceMappingURL=set-aside.js.map