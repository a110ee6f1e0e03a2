"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.sleep = sleep;
const clock_ts_1 = require("./clock.js");
const on_abort_ts_1 = require("./on-abort.js");
const sleepers_ts_1 = require("./sleepers.js");
let sleepers;
let sleepersTimers;
function systemSleepers() {
    // Fake timers replace `setTimeout`, and may never fire. A sleep that starts later must not share one.
    if (sleepers === undefined || sleepersTimers !== (0, clock_ts_1.timersId)()) {
        sleepersTimers = (0, clock_ts_1.timersId)();
        sleepers = new sleepers_ts_1.Sleepers(clock_ts_1.systemClock, clock_ts_1.nextTurn);
    }
    return sleepers;
}
/**
 * Resolves after `delayMs` milliseconds, or rejects with the signal's own reason as soon as it aborts. Leaves no timer and
 * no listener behind. All sleeps under one signal share one listener.
 *
 * On the system clock thousands that are due at once resolve over several turns of the event loop. Another clock decides for
 * itself when it wakes them.
 */
function sleep(clock, delayMs, signal) {
    const waits = clock === clock_ts_1.systemClock ? systemSleepers() : clock;
    return new Promise((resolve, reject) => {
        if (!signal) {
            waits.schedule(resolve, delayMs, false, true);
            return;
        }
        if (signal.aborted)
            return reject(signal.reason);
        let callOff;
        const wake = () => {
            callOff?.();
            // In a crowd the call of `onAbort` comes later than the abort.
            if (signal.aborted)
                reject(signal.reason);
            else
                resolve();
        };
        const cancel = waits.schedule(wake, delayMs, false, true);
        callOff = (0, on_abort_ts_1.onAbort)(signal, () => {
            cancel();
            reject(signal.reason);
        });
    });
}
//# sourceMappingURL=sleep.js.map