"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.whenBodyEnds = whenBodyEnds;
const on_abort_ts_1 = require("../base/on-abort.js");
const body_ts_1 = require("../http/body.js");
const response_header_ts_1 = require("../http/response-header.js");
const body_use_ts_1 = require("./body-use.js");
const intercept_body_ts_1 = require("./intercept-body.js");
const node_body_ts_1 = require("./node-body.js");
const unread_ts_1 = require("./unread.js");
const watched_body_ts_1 = require("./watched-body.js");
/** True if there is no body by definition: some runtimes have a stream even then. */
function isEmpty({ method, status }) {
    return method === 'HEAD' || status === 204 || status === 205 || status === 304;
}
/**
 * Calls `ended` once the body of a response no longer uses its connection: when it has ended, failed, was cancelled or
 * garbage-collected; at once if there is no body. The response stays the same object.
 */
function whenBodyEnds(settled, context, ended) {
    try {
        if (!watch(settled, context, ended))
            ended();
    }
    catch {
        // A mock whose members throw has no connection.
        ended();
    }
}
/**
 * The prototype of the last response whose body was a web stream. Reading `body` takes as long as all the rest, and the next
 * response has most likely a web stream as well. If not, that is noticed a turn later.
 */
let withWebStream;
/** Returns false if there is no body to watch. */
function watch(response, context, ended) {
    if (typeof response !== 'object' || response === null)
        return false;
    const interceptor = (0, intercept_body_ts_1.interceptorOf)(response);
    if (interceptor instanceof watched_body_ts_1.WatchedBody) {
        // A base fetch may return the same response twice.
        interceptor.use.onEnd(ended);
        return true;
    }
    if (interceptor !== undefined || context.signal?.aborted || isEmpty(context))
        return false;
    const prototype = Object.getPrototypeOf(response);
    if (prototype !== withWebStream) {
        const { body } = response;
        if ((0, body_ts_1.isNodeReadable)(body)) {
            if ((0, response_header_ts_1.responseHeader)(response.headers, 'content-length') === '0')
                return false;
            (0, node_body_ts_1.whenNodeBodyEnds)(body, useOf(body, context, ended));
            return true;
        }
        if (!(0, body_ts_1.isWebReadable)(body))
            return false;
        withWebStream = prototype;
    }
    const use = useOf(response, context, ended);
    new watched_body_ts_1.WatchedBody(response, use);
    (0, unread_ts_1.watchUnread)(use);
    return true;
}
function useOf(branch, { signal, clock }, ended) {
    const use = new body_use_ts_1.BodyUse(branch, clock, ended);
    // An abort closes the connection, whether or not the body is being read.
    if (signal !== undefined)
        use.onEnd((0, on_abort_ts_1.onAbort)(signal, () => use.end()));
    return use;
}
//# sourceMappingURL=body-end.js.map