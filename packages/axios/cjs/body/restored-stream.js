"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.nodeStream = nodeStream;
exports.webStream = webStream;
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
//# sourceMappingURL=restored-stream.js.map