"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.timeLimit = timeLimit;
const bucket_1 = require("@ebb/core/bucket");
/** The limit is measured by so many timers in a row, so a blocked event loop counts as one of these parts at most. */
const PARTS = 4;
/**
 * Calls `onLate` after `limitMs` in which the event loop ran. A plain timer also counts the time in which the event
 * loop is blocked, and fires before the socket is read that may hold the reply.
 *
 * @param inBackground whether the process may exit meanwhile
 * @returns a function that cancels it
 */
function timeLimit(clock, limitMs, onLate, inBackground = false) {
    let isOver = false;
    let left = PARTS;
    let stopTimer = () => { };
    const onPart = () => {
        left -= 1;
        if (left > 0) {
            arm();
            return;
        }
        // Node runs timers before it reads sockets, and this after both.
        void (0, bucket_1.nextTurn)().then(() => {
            if (!isOver)
                onLate();
        });
    };
    const arm = () => {
        stopTimer = clock.schedule(onPart, limitMs / PARTS, inBackground);
    };
    arm();
    return () => {
        isOver = true;
        stopTimer();
    };
}
//# sourceMappingURL=time-limit.js.map