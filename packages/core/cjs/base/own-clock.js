"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.unboundClock = void 0;
exports.ownClock = ownClock;
exports.isSameClock = isSameClock;
const check_ts_1 = require("./check.js");
const clock_ts_1 = require("./clock.js");
const errors_ts_1 = require("./errors.js");
/** The clock that one of these reads. Known to all copies of this package in a program. */
const READS = Symbol.for('@ebb/core clock');
/** A clock of the user. What it does wrong is a `HookError` that names it. */
class OwnClock {
    [READS];
    #clock;
    constructor(clock) {
        this.#clock = clock;
        this[READS] = clock;
    }
    now() {
        return (0, errors_ts_1.callHook)('clock', () => {
            const nowMs = this.#clock.now();
            const takes = 'a finite number of milliseconds';
            if (typeof nowMs !== 'number')
                throw (0, check_ts_1.wrongType)('now()', takes, nowMs);
            if (!Number.isFinite(nowMs))
                throw (0, check_ts_1.wrongRange)('now()', takes, nowMs);
            return nowMs;
        });
    }
    schedule(wake, delayMs, inBackground, isWait) {
        return (0, errors_ts_1.callHook)('clock', () => {
            const cancel = this.#clock.schedule(wake, delayMs, inBackground, isWait);
            if (typeof cancel !== 'function')
                throw (0, check_ts_1.wrongType)('schedule()', 'a function that cancels the call', cancel);
            return cancel;
        });
    }
}
const own = new WeakMap();
/**
 * The clock of a policy or a limit, with its errors named: the same for the same clock. That of the system stays as it is.
 */
function ownClock(clock) {
    if (clock_ts_1.OF_SYSTEM in clock || READS in clock)
        return clock;
    let checked = own.get(clock);
    if (checked === undefined) {
        checked = new OwnClock(clock);
        own.set(clock, checked);
    }
    return checked;
}
/** True if two clocks show the same time, also if they are of two copies of this package. */
function isSameClock(one, other) {
    return one === other || sourceOf(one) === sourceOf(other);
}
function sourceOf(clock) {
    if (clock_ts_1.OF_SYSTEM in clock)
        return clock_ts_1.OF_SYSTEM;
    return READS in clock ? clock[READS] : clock;
}
/** The clock of the system, for a limit that was given none: it takes that of its policy. */
exports.unboundClock = { ...clock_ts_1.systemClock };
//# sourceMappingURL=own-clock.js.map