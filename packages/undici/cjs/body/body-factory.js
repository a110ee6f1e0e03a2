"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.BodyFactoryCalls = void 0;
const node_stream_1 = require("node:stream");
const core_1 = require("@ebb/core");
/** Calls a body factory for each attempt, and closes bodies that an attempt did not read to the end. */
class BodyFactoryCalls {
    replayable = true;
    #make;
    #made;
    constructor(make) {
        this.#make = make;
    }
    /**
     * Calls the factory. A body that comes when it is not needed any more is closed.
     *
     * @throws HookError, as a rejection, if the factory throws, or returns a stream that was read before
     */
    make = async (state) => {
        this.unsent();
        let made;
        try {
            made = checked(await this.#make());
        }
        catch (cause) {
            failed(cause);
        }
        if (state.over)
            this.release(made);
        else
            this.#made = made;
    };
    take() {
        const made = this.#made ?? { body: null };
        this.#made = undefined;
        return made;
    }
    /** Closes a body that was made for an attempt that is not sent. */
    unsent() {
        if (this.#made !== undefined)
            this.release(this.take());
    }
    close() {
        this.unsent();
    }
    /** A stream that is not read to its end would keep its file open. */
    release({ body }) {
        if (typeof body !== 'object' || body === null)
            return;
        if (isNodeStream(body))
            body.destroy();
        else if (body instanceof WebBody)
            body.cancel();
        else
            finish(body);
    }
}
exports.BodyFactoryCalls = BodyFactoryCalls;
/** A web stream that can be cancelled while undici reads it and waits for the next chunk. */
class WebBody {
    #reader;
    constructor(stream) {
        this.#reader = stream.getReader();
    }
    async *[Symbol.asyncIterator]() {
        try {
            for (let part = await this.#reader.read(); !part.done; part = await this.#reader.read())
                yield part.value;
        }
        finally {
            this.cancel();
        }
    }
    cancel() {
        this.#reader.cancel().catch(() => undefined);
    }
}
/** Runs the `finally` blocks of a generator. */
function finish(body) {
    if (typeof body.next !== 'function' || typeof body.return !== 'function')
        return;
    // Not awaited: a generator that is awaiting something runs them only after that.
    new Promise((resolve) => resolve(body.return?.(undefined))).catch(() => undefined);
}
function checked(body) {
    if (typeof body === 'object' && body !== null && node_stream_1.Readable.isDisturbed(body)) {
        failed(new TypeError('the stream was read before; a factory must make a new one for each attempt'));
    }
    // undici reports an error of the stream, but stops listening when the attempt ends.
    if (isNodeStream(body))
        body.on('error', () => undefined);
    return { body: body instanceof ReadableStream ? new WebBody(body) : body };
}
function isNodeStream(body) {
    const { pipe, destroy } = (body ?? {});
    return typeof pipe === 'function' && typeof destroy === 'function';
}
function failed(cause) {
    throw cause instanceof core_1.HookError ? cause : new core_1.HookError('body', cause);
}
//# sourceMappingURL=body-factory.js.map