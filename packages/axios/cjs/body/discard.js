"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.discardForRetry = discardForRetry;
exports.discardLate = discardLate;
exports.abortUpload = abortUpload;
const adapter_1 = require("@ebb/core/adapter");
const response_ts_1 = require("../response.js");
const restorable_body_ts_1 = require("./restorable-body.js");
const stream_ts_1 = require("./stream.js");
/**
 * Discards a response before a retry, so that its connection can be reused. A streamed body is read within the
 * bounds of the session, or broken off. It is kept if the session may still refuse the retry.
 *
 * @returns `undefined` if the adapter settled without a response
 */
function discardForRetry(settled, session, signal) {
    const response = (0, response_ts_1.responseIn)(settled);
    if (response === undefined)
        return undefined;
    abortUpload(response.request);
    const body = new restorable_body_ts_1.RestorableBody(response.data, session.keepsAnswer);
    const { clock } = session.policy;
    const released = readBody(response, body, { clock, withinMs: session.discardMs, signal });
    if (!session.keepsAnswer || !body.isStream)
        return { released };
    const restore = () => {
        response.data = body.restored();
        return settled;
    };
    return {
        released,
        restore,
        get isLost() {
            return body.isBrokenOff;
        },
    };
}
/** Discards a response that arrives after its attempt has timed out. Never rejects. */
async function discardLate(settled, clock) {
    const response = (0, response_ts_1.responseIn)(settled);
    if (response === undefined)
        return;
    abortUpload(response.request);
    const bounds = { clock, withinMs: adapter_1.LONGEST_DISCARD_MS, signal: undefined };
    await readBody(response, new restorable_body_ts_1.RestorableBody(response.data, false), bounds);
}
/** Destroys a request whose upload is unfinished: a server that has already responded may never read the rest. */
function abortUpload(request) {
    const { writableFinished, destroy } = (request ?? {});
    if (writableFinished === false && typeof destroy === 'function')
        destroy.call(request);
}
async function readBody(response, body, bounds) {
    const { data } = response;
    const { clock, withinMs, signal } = bounds;
    if ((0, stream_ts_1.isNodeReadable)(data) || (0, stream_ts_1.isWebReadable)(data)) {
        if (isTooLong(response) || signal?.aborted)
            body.breakOff();
        const cancelTimer = clock.schedule(() => body.breakOff(), withinMs);
        const unwatch = signal && (0, adapter_1.onAbort)(signal, () => body.breakOff());
        await body.read();
        cancelTimer();
        unwatch?.();
        if (body.isBrokenOff)
            return;
    }
    await (0, adapter_1.nextTurn)();
}
/** A response without a body may still have a content-length. */
function isTooLong({ status, headers, config }) {
    const hasBody = config?.method?.toUpperCase() !== 'HEAD' && status !== 204 && status !== 304;
    return hasBody && Number((0, response_ts_1.headerOf)(headers, 'content-length')) > adapter_1.MOST_DISCARDED_BYTES;
}
//# sourceMappingURL=discard.js.map