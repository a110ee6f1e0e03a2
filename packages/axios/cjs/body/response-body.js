"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.discardForRetry = discardForRetry;
exports.discardLate = discardLate;
exports.abortUpload = abortUpload;
exports.whenBodyEnds = whenBodyEnds;
const adapter_1 = require("@ebb/core/adapter");
const response_ts_1 = require("../response.js");
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
    const { keepsAnswer, discardMs, policy } = session;
    const { data } = response;
    const bounds = { clock: policy.clock, longestMs: discardMs, signal };
    const mostKeptBytes = keepsAnswer ? adapter_1.MOST_DISCARDED_BYTES : 0;
    const aside = (0, adapter_1.setAside)(data, { ...bounds, mostKeptBytes, contentLength: lengthOf(response) });
    if (aside === undefined)
        return { released: (0, adapter_1.nextTurn)() };
    if (!keepsAnswer)
        return { released: aside.released };
    return {
        released: aside.released,
        restore() {
            response.data = (0, adapter_1.restored)(data, aside);
            return settled;
        },
        get isLost() {
            return aside.isOver && aside.parts === undefined;
        },
    };
}
/** Discards a response that arrives after its attempt has timed out. */
function discardLate(settled, clock) {
    const response = (0, response_ts_1.responseIn)(settled);
    if (response === undefined)
        return;
    abortUpload(response.request);
    const bounds = { clock, longestMs: adapter_1.LONGEST_DISCARD_MS, mostKeptBytes: 0 };
    (0, adapter_1.setAside)(response.data, { ...bounds, contentLength: lengthOf(response) });
}
/** Destroys a request whose upload is unfinished: a server that has already responded may never read the rest. */
function abortUpload(request) {
    const { writableFinished, destroy } = (request ?? {});
    if (writableFinished === false && typeof destroy === 'function')
        destroy.call(request);
}
/** A response without a body may still have a content-length. */
function lengthOf({ status, headers, config }) {
    const hasBody = config?.method?.toUpperCase() !== 'HEAD' && status !== 204 && status !== 304;
    return hasBody ? Number((0, response_ts_1.headerOf)(headers, 'content-length')) : 0;
}
/**
 * Calls `ended` when the connection no longer needs to carry the body of a response: at once if axios has read it,
 * otherwise when it has arrived (read or not), has failed, or was cancelled. May call it more than once.
 */
function whenBodyEnds(settled, clock, ended) {
    const response = (0, response_ts_1.responseIn)(settled);
    const data = response?.data;
    if ((0, adapter_1.isNodeReadable)(data) && !data.destroyed && !data.readableEnded) {
        const { res } = (response?.request ?? {});
        (0, adapter_1.whenArrived)(data, res, clock, ended);
    }
    else if (response !== undefined && (0, adapter_1.isWebReadable)(data) && !data.locked) {
        response.data = (0, adapter_1.readAhead)(data, ended);
    }
    else {
        ended();
    }
}
//# sourceMappingURL=response-body.js.map