"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.nodeStream = nodeStream;
exports.restored = restored;
const body_ts_1 = require("../http/body.js");
const set_aside_ts_1 = require("./set-aside.js");
/** A Node stream with these parts, which then ends, or fails with the error if there is one. */
function nodeStream(parts, error, objectMode) {
    // Not imported: browsers have no such module.
    const { Readable } = globalThis.process?.getBuiltinModule?.('node:stream') ?? {};
    if (Readable === undefined)
        return webStream(parts, error);
    let next = 0;
    return new Readable({
        objectMode,
        // Nothing is read ahead: an error would discard the parts before it.
        highWaterMark: 0,
        read() {
            if (next < parts.length)
                this.push(parts[next++]);
            else if (error === undefined)
                this.push(null);
            else
                this.destroy(error);
        },
    });
}
/** The same as a web stream. */
function webStream(parts, error) {
    let next = 0;
    return new ReadableStream({
        pull(controller) {
            if (next < parts.length)
                controller.enqueue(parts[next++]);
            else if (error === undefined)
                controller.close();
            else
                controller.error(error);
        },
    }, { highWaterMark: 0 });
}
/** A stream of the same kind as `body`, with what was kept of it. If that is not all, reading it fails with the reason. */
function restored(body, aside) {
    const { parts = [] } = aside;
    const error = (0, set_aside_ts_1.missing)(aside);
    if (!(0, body_ts_1.isNodeReadable)(body))
        return webStream(parts, error);
    return nodeStream(parts, error, body.readableObjectMode === true);
}
//# sourceMappingURL=restored.js.map