"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.NodePeek = void 0;
const bytes_ts_1 = require("./bytes.js");
const restored_stream_ts_1 = require("./restored-stream.js");
/** A stream that someone reads already would pass on twice what is put back. */
function canPutBack(stream) {
    const { unshift, readableLength, _readableState, readableFlowing } = stream;
    return (typeof unshift === 'function' &&
        typeof readableLength === 'number' &&
        typeof _readableState?.ended === 'boolean' &&
        readableFlowing !== true &&
        stream.listenerCount?.('data') === 0);
}
/**
 * A look at the beginning of a Node stream. What it has read goes back into the stream, so that the caller has the same
 * stream, with its backpressure, its errors and its `destroy`. A stream that ends or fails during the look has emitted
 * events that come once: only then the response gets a copy, which emits them when it is read.
 */
class NodePeek {
    #response;
    #stream;
    #parts = [];
    #error;
    #isWatched = false;
    #wake = () => undefined;
    /** @returns `undefined` for a stream that has ended, or that nothing can be put back into */
    static at(response, stream) {
        if (!canPutBack(stream) || stream.readableEnded)
            return undefined;
        return new NodePeek(response, stream);
    }
    constructor(response, stream) {
        this.#response = response;
        this.#stream = stream;
        stream.on('error', this.#onError);
        stream.on('end', this.#onChange);
        stream.on('close', this.#onChange);
    }
    #onChange = () => this.#wake();
    #onError = (error) => {
        this.#error ??= error;
        this.#wake();
    };
    async read() {
        const stream = this.#stream;
        for (;;) {
            if (stream.readableLength > 0 && !this.#isBroken)
                return this.#take();
            if (stream.readableEnded || (hasAllArrived(stream) && !this.#isBroken))
                return undefined;
            if (this.#isBroken)
                throw this.#reason;
            await this.#change();
        }
    }
    #take() {
        const stream = this.#stream;
        const { readableLength, readableHighWaterMark } = stream;
        // Never more than there is: that would make a stream emit its end. A larger number would raise its high water mark.
        const size = stream.readableObjectMode
            ? 1
            : Math.min(readableLength, readableHighWaterMark || readableLength);
        const part = stream.read(size);
        this.#parts.push(part);
        return (0, bytes_ts_1.bytesOf)(part);
    }
    #change() {
        // Not before it is needed: this listener would make a stream without bytes emit its end.
        if (!this.#isWatched)
            this.#stream.on('readable', this.#onChange);
        this.#isWatched = true;
        return new Promise((resolve) => {
            this.#wake = resolve;
        });
    }
    get #isBroken() {
        return this.#error !== undefined || (this.#stream.destroyed && !this.#stream.readableEnded);
    }
    get #reason() {
        return (this.#error ?? this.#stream.errored ?? new Error('The body of the response was closed before its end'));
    }
    stop() {
        const stream = this.#stream;
        for (const event of ['readable', 'end', 'close'])
            stream.removeListener(event, this.#onChange);
        if (this.#isBroken || stream.readableEnded) {
            // The listener for errors stays: one may still come.
            const error = this.#isBroken ? this.#reason : undefined;
            this.#response.data = (0, restored_stream_ts_1.nodeStream)(this.#parts, error, stream.readableObjectMode === true);
            return;
        }
        stream.removeListener('error', this.#onError);
        for (const part of this.#parts.reverse())
            stream.unshift(part, stream.readableEncoding ?? undefined);
    }
}
exports.NodePeek = NodePeek;
/** True if what is in the stream is all that is left of it. */
function hasAllArrived(stream) {
    return stream._readableState.ended && stream.readableLength === 0;
}
//# sourceMappingURL=peek-node.js.map