"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.setAside = setAside;
exports.readToEnd = readToEnd;
exports.drain = drain;
const body_ts_1 = require("../http/body.js");
const set_aside_ts_1 = require("./set-aside.js");
/**
 * Reads a body to its end within bounds: a web stream or a Node stream. `undefined` for anything else, and for a stream
 * that someone else reads.
 */
function setAside(body, bounds) {
    try {
        if ((0, body_ts_1.isWebReadable)(body)) {
            const reader = body.getReader();
            // Not awaited: the promise of one branch of a tee settles only when the other is cancelled as well.
            const giveUp = () => void reader.cancel().catch(() => undefined);
            const aside = new set_aside_ts_1.SetAside(bounds, { giveUp });
            aside.limit();
            void readWeb(reader, aside);
            return aside;
        }
        if ((0, body_ts_1.isNodeReadable)(body)) {
            const aside = new set_aside_ts_1.SetAside(bounds, { giveUp: () => body.destroy?.() });
            // Never removed: a stream may still emit an error after it was destroyed.
            body.on('error', (error) => aside.end(false, error));
            body.on('close', () => aside.end(false));
            body.on('end', () => aside.end(true));
            aside.limit();
            if (body.destroyed || body.readableEnded)
                aside.end(body.readableEnded === true);
            else
                body.on('data', (part) => aside.take(part));
            return aside;
        }
    }
    catch {
        // It cannot be read.
    }
    return undefined;
}
async function readWeb(reader, aside) {
    try {
        while (!aside.isOver) {
            const { done, value } = await reader.read();
            if (done)
                aside.end(true);
            else
                aside.take(value);
        }
    }
    catch (error) {
        aside.end(false, error);
    }
}
/**
 * Reads a body to its end, so that its connection can be used again: a web stream or a Node stream. Cancels the body, and
 * thus the connection, after {@link MOST_DISCARDED_BYTES} or `withinMs`, or when the signal aborts. Never rejects.
 *
 * @param contentLength the `Content-Length` of the response; ignored if it is not a number
 * @param withinMs in milliseconds
 * @returns true if the whole body was read, and for anything but a stream; false for a locked stream
 */
async function readToEnd(body, contentLength, clock, signal, withinMs = set_aside_ts_1.LONGEST_DISCARD_MS) {
    const bounds = {
        clock,
        longestMs: withinMs,
        mostKeptBytes: 0,
        contentLength: Number(contentLength),
        signal,
    };
    const aside = setAside(body, bounds);
    if (aside === undefined)
        return !(0, body_ts_1.isWebReadable)(body) && !(0, body_ts_1.isNodeReadable)(body);
    await aside.released;
    return aside.isWhole;
}
/** As {@link readToEnd}, if it does not matter whether the whole body was read. Never rejects. */
async function drain(body, contentLength, clock, signal, withinMs) {
    await readToEnd(body, contentLength, clock, signal, withinMs);
}
//# sourceMappingURL=streams.js.map