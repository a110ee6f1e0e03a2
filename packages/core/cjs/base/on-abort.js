"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.onAbort = onAbort;
const clock_ts_1 = require("./clock.js");
const signal_watch_ts_1 = require("./signal-watch.js");
const watches = new WeakMap();
function watchOf(signal) {
    let watch = watches.get(signal);
    if (watch === undefined) {
        watch = new signal_watch_ts_1.SignalWatch((end) => {
            signal.addEventListener('abort', end);
            return () => signal.removeEventListener('abort', end);
        }, ({ call }) => call !== undefined, (ended) => {
            watches.delete(signal);
            callAll(ended.members());
        });
        watches.set(signal, watch);
    }
    return watch;
}
/** The most that an abort calls in one turn of the event loop. Each may end a request, which takes microseconds. */
const SLICE = 1_000;
/**
 * Calls all of them, even if one throws. The first error of a slice is thrown in the end, as a listener's would be. The first
 * slice is called at once, and each of the others in another turn.
 */
function callAll(members) {
    const errors = [];
    for (let left = SLICE; left > 0; left -= 1) {
        const waiting = members.next().value?.[0];
        if (waiting === undefined)
            break;
        const { call } = waiting;
        waiting.call = undefined;
        try {
            call?.();
        }
        catch (error) {
            errors.push(error);
        }
        if (left === 1)
            (0, clock_ts_1.inNextTurn)(() => callAll(members));
    }
    if (errors.length > 0)
        throw errors[0];
}
/**
 * Calls `call` once when the signal aborts. Returns a function that cancels it. Like a listener, it is not called for a
 * signal that has aborted already.
 *
 * All calls under one signal share one listener, which is removed with the last of them. `addEventListener` compares a
 * new listener with all that exist: with one each, 32,000 requests under one signal would take seconds to start and as
 * long to end, and Node would warn of a leak from the eleventh.
 */
function onAbort(signal, call) {
    const watch = watchOf(signal);
    const waiting = { call };
    watch.add(waiting, 0);
    return () => {
        if (waiting.call === undefined)
            return;
        waiting.call = undefined;
        watch.left();
    };
}
//# sourceMappingURL=on-abort.js.map