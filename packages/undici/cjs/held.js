"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Held = void 0;
const adapter_1 = require("@ebb/core/adapter");
const errors_ts_1 = require("./errors.js");
const player_ts_1 = require("./player.js");
/**
 * A response that is held back until it has been judged. It keeps what arrives, and pauses the connection when that is more
 * than a look at the body asks for. Then it plays what it has kept, in place of a connection: it stops while the handler is
 * paused. What follows comes from the connection itself; the handler still pauses it through this.
 */
class Held extends player_ts_1.Player {
    head;
    /** What has arrived of the body, encoded as it came. */
    chunks = [];
    trailers = {};
    rawTrailers = null;
    /** Why the body is incomplete. */
    error;
    /** True once nothing more of it will come. */
    isOver = false;
    #connection;
    #listener;
    #reader;
    /** How many chunks were read. */
    #read = 0;
    /** Bytes that were neither read by a look nor played. */
    #unreadBytes = 0;
    #isHalted = false;
    /** Set for the body of a redirect. */
    #clock;
    #cancelTimer;
    /** How many chunks were played. */
    #played = 0;
    #isPlayingError = false;
    /** @param listener without `playedAll` and `discard` for a response that is over */
    constructor(head, connection, listener) {
        super();
        this.head = head;
        this.#connection = connection;
        this.#listener = listener;
    }
    get rawHeaders() {
        return this.head.rawHeaders;
    }
    take(chunk) {
        if (this.isOver)
            return;
        this.chunks.push(chunk);
        this.#unreadBytes += chunk.byteLength;
        this.#goOn();
        // Most bodies are short, and arrive with their headers: pausing for each would cost a turn.
        const most = this.#clock === undefined ? adapter_1.MOST_READ_AHEAD_BYTES : adapter_1.MOST_DISCARDED_BYTES;
        if (this.#unreadBytes > most)
            this.#halt();
    }
    /** All of it has arrived. */
    arrived(rawTrailers, trailers) {
        if (this.isOver)
            return;
        this.rawTrailers = rawTrailers;
        this.trailers = trailers;
        this.#finish();
    }
    /** The body ended early. */
    break(error) {
        if (this.isOver)
            return;
        this.error = error;
        this.#finish();
    }
    #finish() {
        this.isOver = true;
        this.#cancelTimer?.();
        this.#goOn();
    }
    read() {
        return new Promise((resolve, reject) => {
            this.#reader = { resolve, reject };
            this.#serve();
            if (this.#reader !== undefined)
                this.letGo();
        });
    }
    stop() {
        this.#reader?.resolve(undefined);
        this.#reader = undefined;
    }
    /** Something has arrived. */
    #goOn() {
        this.#serve();
        this.playMore();
    }
    /** Settles the read that waits, if it need not wait. */
    #serve() {
        const reader = this.#reader;
        if (reader === undefined)
            return;
        const chunk = this.chunks[this.#read];
        if (chunk === undefined && !this.isOver)
            return;
        this.#reader = undefined;
        if (chunk !== undefined) {
            this.#read += 1;
            this.#unreadBytes -= chunk.byteLength;
            reader.resolve(chunk);
        }
        else if (this.error !== undefined) {
            reader.reject(this.error);
        }
        else {
            reader.resolve(undefined);
        }
    }
    /** Pauses the connection. That of a redirect is closed unless the handler goes on in time. */
    #halt() {
        if (this.#isHalted || this.isOver)
            return;
        this.#isHalted = true;
        this.#connection?.pause();
        this.#cancelTimer = this.#clock?.schedule(() => this.#giveUp(), adapter_1.LONGEST_DISCARD_MS);
    }
    /** Has the connection go on, if it was paused. It may deliver at once. */
    letGo() {
        if (!this.#isHalted || this.isOver)
            return;
        this.#isHalted = false;
        this.#cancelTimer?.();
        this.#connection?.resume();
    }
    /**
     * For the body of a redirect. The `fetch` of undici 7, and so that of Node 24, follows a redirect without reading its body:
     * once a buffer is full it pauses the connection for ever, and with it would keep a slot. So it is read on while the handler
     * is paused, and kept for a reader who wants it after all (`redirect: 'manual'`, `request`). A longer body has some time to be
     * asked for; then its connection is closed, and a late reader gets an error after what was kept.
     */
    readOn(clock) {
        this.#clock = clock;
        this.#unreadBytes = this.chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
        this.letGo();
    }
    #giveUp() {
        this.isOver = true;
        this.error = new Error('The rest of the body of this redirect was discarded, because it was not read in time');
        this.#listener.discard?.((0, errors_ts_1.requestAbortedError)('Redirect not read'));
    }
    pause() {
        super.pause();
        if (this.#clock === undefined)
            this.#halt();
    }
    /** @param respond plays the headers */
    start(respond) {
        this.begin(respond, !this.isOver || this.error !== undefined);
    }
    next() {
        const listener = this.#listener;
        if (listener.over)
            return false;
        const chunk = this.chunks[this.#played];
        if (chunk !== undefined) {
            this.#played += 1;
            this.#unreadBytes -= chunk.byteLength;
            listener.data(chunk);
            return true;
        }
        if (this.error !== undefined && this.delaysError())
            return false;
        // The handler's controller keeps this, and with it what it has.
        this.chunks = [];
        this.#played = 0;
        if (!this.isOver)
            return this.#playRest();
        if (this.error === undefined) {
            listener.end(this, this.trailers);
        }
        else {
            this.#isPlayingError = true;
            listener.fail(this.error);
        }
        return false;
    }
    #playRest() {
        const isRedirect = this.#clock !== undefined;
        if (!isRedirect)
            this.#listener.playedAll?.();
        this.letGo();
        return isRedirect && (this.chunks.length > 0 || this.isOver);
    }
    ended(error) {
        // As without ebb, the caller that reports an error gets what the handler throws then.
        if (this.#isPlayingError && this.#connection && this.#clock === undefined)
            throw error;
        this.#listener.abort(error);
    }
}
exports.Held = Held;
//# sourceMappingURL=held.js.map