"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.LONGEST_DISCARD_MS = exports.MOST_DISCARDED_BYTES = void 0;
exports.readToEnd = readToEnd;
exports.drain = drain;
const clock_ts_1 = require("../base/clock.js");
const body_ts_1 = require("./body.js");
/** The most bytes of a discarded body that are read. For a longer one, closing the connection is cheaper. */
exports.MOST_DISCARDED_BYTES = 256 * 1024;
/** The longest time for reading a discarded body, in milliseconds. A body that has not ended by then may never end. */
exports.LONGEST_DISCARD_MS = 1_000;
/** In bytes; for a string in characters, which is precise enough for a limit. */
function sizeOf(part) {
    const { byteLength, length } = (part ?? {});
    if (typeof byteLength === 'number')
        return byteLength;
    return typeof length === 'number' ? length : 0;
}
/**
 * Reads a web stream. Returns true if it was read to its end.
 *
 * @param bound called with a function that cancels the stream
 */
async function readWeb(stream, bound) {
    const reader = stream.getReader();
    let brokenOff = false;
    const breakOff = () => {
        brokenOff = true;
        // Not awaited: the promise of one branch of a tee settles only when the other is cancelled as well.
        reader.cancel().catch(() => undefined);
    };
    bound(breakOff);
    let bytes = 0;
    while (!brokenOff) {
        const part = await reader.read();
        if (part.done)
            break;
        bytes += sizeOf(part.value);
        if (bytes > exports.MOST_DISCARDED_BYTES)
            breakOff();
    }
    return !brokenOff;
}
/** The same for a Node stream. */
function readNode(stream, bound) {
    return new Promise((resolve) => {
        const breakOff = () => {
            stream.destroy?.();
            resolve(false);
        };
        // Never removed: a stream may still emit an error after it was destroyed.
        stream.on('error', () => resolve(false));
        stream.on('close', () => resolve(false));
        stream.on('end', () => resolve(true));
        bound(breakOff);
        if (stream.destroyed || stream.readableEnded)
            return resolve(stream.readableEnded === true);
        let bytes = 0;
        stream.on('data', (part) => {
            bytes += sizeOf(part);
            if (bytes > exports.MOST_DISCARDED_BYTES)
                breakOff();
        });
    });
}
/**
 * Reads a body to its end, so that its connection can be used again: a web stream or a Node stream. Cancels the body, and
 * thus the connection, after {@link MOST_DISCARDED_BYTES} or `withinMs`, or when the signal aborts. Never rejects.
 *
 * @param contentLength the `Content-Length` of the response; ignored if it is not a number
 * @param withinMs in milliseconds
 * @returns true if the whole body was read, and for anything but a stream; false for a locked stream
 */
async function readToEnd(body, contentLength, clock, signal, withinMs = exports.LONGEST_DISCARD_MS) {
    const isWeb = (0, body_ts_1.isWebReadable)(body);
    if (!isWeb && !(0, body_ts_1.isNodeReadable)(body))
        return true;
    if (isWeb && body.locked)
        return false;
    let unbind = () => undefined;
    const bound = (breakOff) => {
        if (Number(contentLength) > exports.MOST_DISCARDED_BYTES || signal?.aborted) {
            breakOff();
            return;
        }
        const callOff = clock.schedule(breakOff, withinMs);
        // In a later turn, because the client may cancel the body itself on abort. If a branch of the body is cancelled before
        // that, Node 22 has a rejection that cannot be handled.
        const onAbort = () => void (0, clock_ts_1.nextTurn)().then(breakOff);
        signal?.addEventListener('abort', onAbort, { once: true });
        unbind = () => {
            callOff();
            signal?.removeEventListener('abort', onAbort);
        };
    };
    let whole = false;
    try {
        whole = await (isWeb ? readWeb(body, bound) : readNode(body, bound));
    }
    catch {
        // The connection broke, so it cannot be used again anyway.
    }
    unbind();
    await (0, clock_ts_1.nextTurn)();
    return whole;
}
/** As {@link readToEnd}, if it does not matter whether the whole body was read. Never rejects. */
async function drain(body, contentLength, clock, signal, withinMs) {
    await readToEnd(body, contentLength, clock, signal, withinMs);
}
//# sourceMappingURL=drain.js.map