"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.WatchedBody = void 0;
const body_ts_1 = require("../http/body.js");
const response_header_ts_1 = require("../http/response-header.js");
const intercept_body_ts_1 = require("./intercept-body.js");
const watched_stream_ts_1 = require("./watched-stream.js");
/** The length of a body in bytes, if known. `Content-Length` does not hold for a body that fetch has decompressed. */
function lengthOf({ headers }) {
    const length = (0, response_header_ts_1.responseHeader)(headers, 'content-length');
    const isDecoded = (0, response_header_ts_1.responseHeader)(headers, 'content-encoding') !== undefined;
    return length === undefined || isDecoded ? undefined : Number(length);
}
/** Observes how the body of a response is read, without changing what is read. */
class WatchedBody {
    use;
    #isTaken = false;
    #watched;
    constructor(response, use) {
        this.use = use;
        // A response that cannot be intercepted is still checked later.
        (0, intercept_body_ts_1.interceptBody)(response, this);
    }
    read(response, native) {
        // It is being read already, so `native` will reject. `bodyUsed` takes long: hardly any response is read natively, and
        // then here, in its first turn.
        if (this.#isStreamRead() || this.use.isOver || this.#isTaken || (!this.use.isNew && response.bodyUsed))
            return native.call(response);
        this.#isTaken = true;
        const result = native.call(response);
        this.#watched?.shut();
        return result.then((value) => {
            this.use.end();
            return value;
        }, (error) => {
            // formData(), say, may reject because of the headers, before it reads.
            if (response.bodyUsed)
                this.use.end();
            else
                this.#isTaken = false;
            throw error;
        });
    }
    stream(response, native) {
        if (this.#watched !== undefined)
            return this.#watched.stream;
        const body = native();
        if (this.use.isOver || !(0, body_ts_1.isWebReadable)(body) || body.locked || response.bodyUsed)
            return body;
        this.#watched = (0, watched_stream_ts_1.watchedStream)(body, native, lengthOf(response), {
            taken: () => {
                this.#isTaken = true;
            },
            ended: () => this.use.end(),
            cancelled: (gone) => {
                this.#isTaken = true;
                this.use.cancel(response, gone);
            },
        });
        return this.#watched.stream;
    }
    clone(_, native) {
        this.#isStreamRead();
        const copy = native();
        if (!this.use.isOver) {
            new WatchedBody(copy, this.use);
            this.use.add(copy);
        }
        return copy;
    }
    /**
     * True if the caller reads the watched stream. Then the native body is locked, and unlocked after a reader that was released
     * without a read, so that later reads behave natively.
     */
    #isStreamRead() {
        const watched = this.#watched;
        if (watched === undefined)
            return false;
        const { locked } = watched.stream;
        if (locked)
            watched.lock();
        else
            watched.release();
        return locked;
    }
    /** True if it is being read, as far as that can be observed. */
    get isRead() {
        const watched = this.#watched;
        watched?.release();
        return this.#isTaken || watched?.stream.locked === true;
    }
}
exports.WatchedBody = WatchedBody;
//# sourceMappingURL=watched-body.js.map