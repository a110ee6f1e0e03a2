"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SteadyTime = void 0;
const clock_ts_1 = require("../../base/clock.js");
const own_clock_ts_1 = require("../../base/own-clock.js");
const bind_clock_ts_1 = require("../bind-clock.js");
/** Time in milliseconds that starts at 0 and never goes back, even if the clock is set back. */
class SteadyTime {
    clock;
    /** What the clock showed at 0. */
    startMs;
    #lastMs = 0;
    #isGiven;
    constructor(clock) {
        this.clock = (0, own_clock_ts_1.ownClock)(clock);
        this.#isGiven = clock !== own_clock_ts_1.unboundClock;
        this.startMs = this.clock.now();
    }
    /**
     * Goes on with the clock of a policy, unless it was given one.
     *
     * @throws TypeError if it has that of another policy
     */
    bind(clock) {
        if (this.#isGiven || this.clock === clock)
            return;
        if (this.clock !== own_clock_ts_1.unboundClock) {
            if ((0, own_clock_ts_1.isSameClock)(this.clock, clock))
                return;
            (0, bind_clock_ts_1.twoClocks)();
        }
        this.clock = clock;
        // What has passed on the clock of the system before is dropped: a test counts from here.
        if (!(0, own_clock_ts_1.isSameClock)(clock, clock_ts_1.systemClock))
            this.startMs = clock.now() - this.#lastMs;
    }
    now() {
        const nowMs = this.clock.now() - this.startMs;
        if (nowMs >= this.#lastMs) {
            this.#lastMs = nowMs;
            return nowMs;
        }
        // The clock was set back, perhaps by an hour. Waiting for it to catch up would block everything.
        this.startMs -= this.#lastMs - nowMs;
        return this.#lastMs;
    }
}
exports.SteadyTime = SteadyTime;
//# sourceMappingURL=time.js.map