"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.RestorableBody = void 0;
const adapter_1 = require("@ebb/core/adapter");
const restored_stream_ts_1 = require("./restored-stream.js");
const stream_ts_1 = require("./stream.js");
const NOT_KEPT = `The body of this response was discarded for a retry, which was then not sent: it was longer than ${adapter_1.MOST_DISCARDED_BYTES / 1024} KiB, or did not end in time`;
/** A response body that is read before a retry, to free its connection, and can be restored if there is no retry. */
class RestorableBody {
    isStream;
    isBrokenOff = false;
    #data;
    /** The parts read so far; `undefined` if they are not kept. */
    #parts;
    #bytes = 0;
    #breakOff = () => undefined;
    #error;
    /** @param keeps whether to keep the body, so that {@link restored} returns it whole */
    constructor(data, keeps) {
        this.#data = data;
        this.isStream = (0, stream_ts_1.isNodeReadable)(data) || ((0, stream_ts_1.isWebReadable)(data) && !data.locked);
        this.#parts = keeps ? [] : undefined;
        if ((0, stream_ts_1.isNodeReadable)(data)) {
            // Never removed: a stream that is destroyed in the middle may emit an error later.
            data.on('error', (error) => {
                this.#error ??= error;
            });
            this.#breakOff = () => void data.destroy();
        }
    }
    breakOff() {
        if (this.isBrokenOff)
            return;
        this.isBrokenOff = true;
        this.#parts = undefined;
        this.#error ??= new Error(NOT_KEPT);
        this.#breakOff();
    }
    /** Reads the body to its end, or until it is broken off. Never rejects. */
    async read() {
        if ((0, stream_ts_1.isNodeReadable)(this.#data))
            await this.#readNode(this.#data);
        else if ((0, stream_ts_1.isWebReadable)(this.#data))
            await this.#readWeb(this.#data);
    }
    #take(part) {
        this.#bytes += part.byteLength ?? part.length ?? 0;
        if (this.#bytes > adapter_1.MOST_DISCARDED_BYTES)
            this.breakOff();
        else
            this.#parts?.push(part);
    }
    async #readNode(stream) {
        if (!this.isBrokenOff && !stream.destroyed && !stream.readableEnded) {
            await new Promise((resolve) => {
                stream.on('end', resolve);
                stream.on('close', resolve);
                stream.on('data', (part) => this.#take(part));
            });
        }
        if (!stream.readableEnded)
            this.#error ??= new Error(NOT_KEPT);
    }
    async #readWeb(stream) {
        if (stream.locked)
            return;
        const reader = stream.getReader();
        // Not awaited: cancelling one branch of a tee waits for the other branch.
        this.#breakOff = () => void reader.cancel().catch(() => undefined);
        if (this.isBrokenOff)
            return this.#breakOff();
        try {
            for (let part = await reader.read(); !part.done; part = await reader.read())
                this.#take(part.value);
        }
        catch (error) {
            this.#error ??= error;
        }
    }
    /** A stream of the same kind and content. If the body was not kept, reading it fails with the reason. */
    restored() {
        const error = this.#error;
        const parts = this.#parts ?? [];
        return (0, stream_ts_1.isNodeReadable)(this.#data)
            ? (0, restored_stream_ts_1.nodeStream)(parts, error, this.#data.readableObjectMode === true)
            : (0, restored_stream_ts_1.webStream)(parts, error);
    }
}
exports.RestorableBody = RestorableBody;
//# sourceMappingURL=restorable-body.js.map