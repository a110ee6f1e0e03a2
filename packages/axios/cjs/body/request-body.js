"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.RequestBody = void 0;
exports.requestBody = requestBody;
const adapter_1 = require("@ebb/core/adapter");
const buffered_form_ts_1 = require("./buffered-form.js");
const response_body_ts_1 = require("./response-body.js");
const stream_ts_1 = require("./stream.js");
/** The body of a request whose `data` is `factory`'s function, or any other value. */
function requestBody(data, factory) {
    return data === undefined ? NO_BODY : new RequestBody(data, factory);
}
/** The body of a request: the caller's `data`, or what is sent in its place. */
class RequestBody {
    #data;
    #bytes;
    #factory;
    #form;
    /** @throws TypeError for a function that a later interceptor has set, which the transforms have seen */
    constructor(data, factory) {
        this.#data = data;
        this.#bytes = (0, adapter_1.bufferBytes)(data);
        if (typeof data !== 'function')
            return;
        if (factory === undefined)
            throw new TypeError('data: a body function must be set before ebb’s interceptor runs');
        this.#factory = factory;
    }
    get replayable() {
        this.bufferForm();
        const isSame = !(0, stream_ts_1.isSingleUse)(this.#data) && (0, adapter_1.bufferBytes)(this.#data) === this.#bytes;
        return this.isReplaced || isSame;
    }
    /** If `data` is a form that can be buffered, buffers it so that it can be sent more than once. */
    bufferForm() {
        if (this.#factory === undefined)
            this.#form ??= buffered_form_ts_1.BufferedForm.of(this.#data);
    }
    /** Whether each attempt sends what {@link next} returns in place of `data`. */
    get isReplaced() {
        return this.#factory !== undefined || this.#form !== undefined;
    }
    /**
     * The body of the next attempt, if {@link isReplaced}; sets its headers in the config.
     *
     * @param isOver true if the attempt has ended before its body was made
     * @throws HookError as {@link FactoryBody.next} does
     */
    next(config, isOver) {
        return this.#factory?.next(config, this.#data, isOver) ?? this.#form?.next(config);
    }
    /** Puts the caller's `data` back into the config. */
    restore(config) {
        if (this.isReplaced)
            config.data = this.#data;
    }
    /** Closes the body that was made for the current attempt. */
    release() {
        this.#factory?.release();
    }
    /** Closes the caller's stream if no attempt was sent. */
    closeUnsent(reason) {
        (0, stream_ts_1.closeBody)(this.#data, reason);
    }
    /**
     * Closes the body that was made for the last attempt, which failed, unless it was read to its end. With a
     * streamed response it waits for that to close first.
     */
    closeUpload(data, request) {
        if (this.#factory?.isOpen !== true)
            return;
        if ((0, adapter_1.isNodeReadable)(data))
            return void data.on('close', () => this.release());
        if ((0, adapter_1.isWebReadable)(data))
            return;
        this.release();
        (0, response_body_ts_1.abortUpload)(request);
    }
}
exports.RequestBody = RequestBody;
const NO_BODY = new RequestBody(undefined, undefined);
//# sourceMappingURL=request-body.js.map