"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.whenArrived = whenArrived;
const clock_ts_1 = require("../base/clock.js");
/** How often unread bodies are checked, in milliseconds. */
const CHECK_EVERY_MS = 250;
/** One that was destroyed, because its connection broke for example, will not become complete. */
function isOver({ complete, destroyed, readableEnded }) {
    return complete === true || destroyed === true || readableEnded === true;
}
/** Bodies that have not arrived. There is an entry for a clock while its timer runs. */
const pendingOf = /* @__PURE__ */ new WeakMap();
/** Node has no event for the arrival of a body that is not read: one timer in the background checks them all. */
function poll(clock, one) {
    const pending = pendingOf.get(clock);
    if (pending !== undefined) {
        pending.push(one);
        return;
    }
    pendingOf.set(clock, [one]);
    clock.schedule(() => check(clock), CHECK_EVERY_MS, true);
}
function check(clock) {
    const pending = pendingOf.get(clock) ?? [];
    pendingOf.delete(clock);
    for (const one of pending) {
        const body = one.body.deref();
        if (body === undefined || isOver(body))
            one.ended();
        else
            poll(clock, one);
    }
}
/**
 * Calls `ended` when the body of a Node stream no longer needs its connection: when it has arrived, read or not, has failed, or
 * was garbage-collected. May call it more than once.
 *
 * @param source the message behind a stream that decompresses or counts, if it is known
 */
function whenArrived(stream, source, clock, ended) {
    // A stream that fails also closes. An `error` listener would hide the error from a caller without one.
    stream.on('end', ended);
    stream.on('close', ended);
    const messages = [stream, source];
    const body = messages.find((one) => typeof one?.complete === 'boolean') ?? stream;
    if (isOver(body)) {
        ended();
        return;
    }
    const begin = () => (isOver(body) ? ended() : poll(clock, { body: new WeakRef(body), ended }));
    // Most short bodies arrive with the headers or right after them.
    void (0, clock_ts_1.nextTurn)().then(begin);
}
//# sourceMappingURL=arrival.js.map