"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SimulationClock = void 0;
/** The clock of a simulation, which sets `nowMs`. It has no timers: every wait is an event. */
class SimulationClock {
    nowMs = 0;
    now() {
        return this.nowMs;
    }
    schedule() {
        throw new Error('A simulation has no timers: a budget or a backoff rule may only read the time');
    }
}
exports.SimulationClock = SimulationClock;
//# sourceMappingURL=simulation-clock.js.map