"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.bindClock = bindClock;
exports.twoClocks = twoClocks;
/** Lets a limit take the clock of its policy. A limit of the user's own, and none, are left alone. */
function bindClock(limit, clock) {
    if (limit !== undefined && 'takeClock' in limit)
        limit.takeClock(clock);
}
/** @throws TypeError that tells what to do */
function twoClocks() {
    throw new TypeError('A limit is shared by policies with different clocks: pass `clock` to the limit, or give each clock a limit of its own');
}
//# sourceMappingURL=bind-clock.js.map