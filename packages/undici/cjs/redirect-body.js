"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.RedirectBody = void 0;
exports.isRedirect = isRedirect;
const adapter_1 = require("@ebb/core/adapter");
const errors_ts_1 = require("./errors.js");
const player_ts_1 = require("./player.js");
/** The statuses that a `fetch` follows or refuses. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** True for a response that a reader may leave unread. */
function isRedirect(status) {
    return REDIRECTS.has(status);
}
/**
 * The body of a redirect. The `fetch` of undici 7, and so that of Node 24, follows a redirect without reading its body: once a
 * buffer is full it pauses the connection for ever, and with it would keep a slot. This reads on while the handler is paused,
 * and keeps what arrives for a reader who wants it after all (`redirect: 'manual'`, `request`). A longer body has some time to
 * be asked for; then its connection is closed, and a late reader gets an error after what was kept.
 */
class RedirectBody extends player_ts_1.Player {
    head;
    rawTrailers = null;
    /** True once nothing more of it will come. */
    isOver = false;
    #connection;
    #clock;
    #listener;
    #chunks = [];
    /** How many chunks were played, and how many bytes are to be. */
    #played = 0;
    #unreadBytes = 0;
    #trailers = {};
    #error;
    #cancelTimer;
    constructor(head, connection, clock, listener) {
        super();
        this.head = head;
        this.#connection = connection;
        this.#clock = clock;
        this.#listener = listener;
    }
    get rawHeaders() {
        return this.head.rawHeaders;
    }
    /** Takes what has arrived of a response that was held back. */
    takeOver({ chunks, isOver, error, rawTrailers, trailers }) {
        for (const chunk of chunks)
            this.#keep(chunk);
        this.#error = error;
        this.rawTrailers = rawTrailers;
        this.#trailers = trailers;
        this.isOver = isOver;
    }
    /** @param respond plays the headers */
    start(respond) {
        this.begin(respond, !this.isOver || this.#error !== undefined);
    }
    take(chunk) {
        if (this.isOver)
            return;
        this.#keep(chunk);
        this.playMore();
        if (this.#unreadBytes > adapter_1.MOST_DISCARDED_BYTES)
            this.#halt();
    }
    #keep(chunk) {
        this.#chunks.push(chunk);
        this.#unreadBytes += chunk.byteLength;
    }
    end(rawTrailers, trailers) {
        if (this.isOver)
            return;
        this.rawTrailers = rawTrailers;
        this.#trailers = trailers;
        this.#finish();
    }
    /** The body ended early. */
    break(error) {
        if (this.isOver)
            return;
        this.#error = error;
        this.#finish();
    }
    #finish() {
        this.isOver = true;
        this.#cancelTimer?.();
        this.playMore();
    }
    /** Pauses the connection, and closes it unless the handler goes on in time. */
    #halt() {
        if (this.#cancelTimer !== undefined || this.isOver)
            return;
        this.#connection?.pause();
        this.#cancelTimer = this.#clock.schedule(() => this.#giveUp(), adapter_1.LONGEST_DISCARD_MS);
    }
    #letGo() {
        if (this.#cancelTimer === undefined || this.isOver)
            return;
        this.#cancelTimer();
        this.#cancelTimer = undefined;
        this.#connection?.resume();
    }
    #giveUp() {
        this.isOver = true;
        this.#error = new Error('The rest of the body of this redirect was discarded, because it was not read in time');
        this.#listener.discard((0, errors_ts_1.requestAbortedError)('Redirect not read'));
    }
    next() {
        const listener = this.#listener;
        if (listener.over)
            return false;
        const chunk = this.#chunks[this.#played];
        if (chunk !== undefined) {
            this.#played += 1;
            this.#unreadBytes -= chunk.byteLength;
            listener.played(chunk);
            return true;
        }
        if (this.#error !== undefined && this.delaysError())
            return false;
        this.#chunks = [];
        this.#played = 0;
        if (!this.isOver) {
            // The connection may deliver at once.
            this.#letGo();
            return this.#chunks.length > 0 || this.isOver;
        }
        if (this.#error === undefined)
            listener.playedEnd(this.#trailers);
        else
            listener.playedError(this.#error);
        return false;
    }
    ended(error) {
        this.#listener.abort(error);
    }
}
exports.RedirectBody = RedirectBody;
//# sourceMappingURL=redirect-body.js.map