"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Upload = void 0;
const adapter_1 = require("@ebb/core/adapter");
const body_factory_ts_1 = require("./body-factory.js");
const kept_body_ts_1 = require("./kept-body.js");
const kinds_ts_1 = require("./kinds.js");
/** The body of a call, from its first attempt to its end. */
class Upload {
    #body;
    /** The `Request` whose body it is, if the init has none. */
    #request;
    #bytes;
    #kept;
    #made;
    /** True once the body that was made has been sent. */
    #isTaken = false;
    constructor(body, request, isKept) {
        this.#body = body;
        this.#request = request;
        this.#bytes = (0, adapter_1.bufferBytes)(body);
        if (isKept && request !== undefined && !request.bodyUsed)
            this.#kept = (0, kept_body_ts_1.keepBody)(request);
    }
    /** True if the next attempt can send the same body. */
    get replayable() {
        if (this.#request !== undefined)
            return this.#kept?.whole !== undefined;
        return !(0, kinds_ts_1.isOnce)(this.#body) && (0, adapter_1.bufferBytes)(this.#body) === this.#bytes;
    }
    get factory() {
        return typeof this.#body === 'function' ? this.#body : undefined;
    }
    /** True if the factory has not yet made the body of the attempt. */
    get isMissing() {
        return this.factory !== undefined && this.#made === undefined;
    }
    /** True if a body was made that has not been sent. */
    get isUnsent() {
        return this.#made !== undefined && !this.#isTaken;
    }
    /**
     * What an attempt sends in place of the caller's body: the one that the factory has made, or the copy of a `Request`'s body,
     * once it is complete.
     */
    takeBody() {
        const made = this.#made;
        if (made === undefined) {
            const whole = this.#kept?.whole;
            return whole && { body: whole };
        }
        this.#isTaken = true;
        return made.isOnce ? { body: made.body, duplex: 'half' } : { body: made.body };
    }
    /**
     * Makes the body of an attempt with the caller's factory.
     *
     * @param isOver true if the attempt has ended in the meantime
     * @throws HookError if the factory throws
     */
    async make(isOver) {
        const made = await (0, body_factory_ts_1.makeBody)(this.#body);
        if (isOver()) {
            made.close();
            throw new DOMException('the attempt ended before its body was made', 'AbortError');
        }
        this.#made = made;
        this.#isTaken = false;
    }
    /** True if the body that was made for the attempt may still be open. */
    get isOpen() {
        return this.#made?.isOpen === true;
    }
    /** Closes the body that was made for the attempt. */
    endAttempt() {
        this.#made?.close();
        this.#made = undefined;
    }
    /** Ends the copying of a `Request`'s body: there is no further attempt. */
    stopKeeping() {
        this.#kept?.stop();
    }
}
exports.Upload = Upload;
//# sourceMappingURL=upload.js.map