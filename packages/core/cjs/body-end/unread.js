"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.watchUnread = watchUnread;
const clock_ts_1 = require("../base/clock.js");
const body_ts_1 = require("../http/body.js");
const response_header_ts_1 = require("../http/response-header.js");
const intercept_body_ts_1 = require("./intercept-body.js");
const node_body_ts_1 = require("./node-body.js");
const read_ahead_ts_1 = require("./read-ahead.js");
const watched_body_ts_1 = require("./watched-body.js");
/** An unread body is checked so long after its response, in milliseconds. */
const CHECK_AFTER_MS = 1_000;
/** The longest time for which a body is waited for whose reading cannot be observed, in milliseconds. */
const LONGEST_UNOBSERVED_MS = 60_000;
/** The uses of the bodies that arrived in this turn of the event loop. */
const arrived = [];
/** Ends the use of a body that is not read, when it has arrived or was garbage-collected. */
function watchUnread(use) {
    // Most bodies are read at once, and one turn for all takes less than a timer for each. It is asked for again now and
    // then: a turn can be lost, with fake timers or with the request of a worker.
    if (arrived.push(use) % 8 === 1)
        (0, clock_ts_1.inNextTurn)(lookAtAll);
}
function lookAtAll() {
    for (const use of arrived.splice(0))
        look(use);
}
/** In the turn after the response. */
function look(use) {
    use.isNew = false;
    const unread = use.held?.find(isUnread);
    try {
        if (unread === undefined) {
            use.letGo();
            return;
        }
        const body = (0, intercept_body_ts_1.nativeBody)(unread);
        if ((0, body_ts_1.isNodeReadable)(body))
            (0, node_body_ts_1.whenNodeBodyEnds)(body, use);
        else if (!(0, body_ts_1.isWebReadable)(body) || (0, response_header_ts_1.responseHeader)(unread.headers, 'content-length') === '0')
            use.end();
        // The body of an error is often short and left unread.
        else if (unread.status >= 400)
            check(use);
        else
            use.onEnd(use.clock.schedule(() => check(use), CHECK_AFTER_MS, true));
    }
    catch {
        // A mock whose members throw has no connection.
        use.end();
    }
}
/** False if it is being read, as far as that can be observed. */
function isUnread(response) {
    const interceptor = (0, intercept_body_ts_1.interceptorOf)(response);
    return !(interceptor instanceof watched_body_ts_1.WatchedBody && interceptor.isRead);
}
/** Checks whether an unread body has arrived. */
function check(use) {
    for (const response of use.letGo().filter(isUnread)) {
        if (!use.isOver)
            checkUnread(response, use);
    }
}
/** Hazard: nothing that stays may hold the response, which could then never be garbage-collected. */
function checkUnread(response, use) {
    const isLong = Number((0, response_header_ts_1.responseHeader)(response.headers, 'content-length') ?? 0) > body_ts_1.MOST_READ_AHEAD_BYTES;
    const body = (0, intercept_body_ts_1.nativeBody)(response);
    if (response.bodyUsed || body.locked) {
        // Something reads the native body, such as a server that returns the response.
        if (isLong)
            use.onEnd(use.clock.schedule(() => use.end(), LONGEST_UNOBSERVED_MS, true));
        else
            use.end();
    }
    else if (!isLong && use.stopReadingAhead === undefined) {
        const copy = (0, intercept_body_ts_1.nativeClone)(response);
        if (copy !== undefined)
            (0, read_ahead_ts_1.readAhead)(copy, use);
    }
}
//# sourceMappingURL=unread.js.map