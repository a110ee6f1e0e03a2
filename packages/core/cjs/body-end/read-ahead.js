"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.readAhead = readAhead;
const clock_ts_1 = require("../base/clock.js");
const body_ts_1 = require("../http/body.js");
/** The longest time for reading ahead, in milliseconds. */
const LONGEST_READ_AHEAD_MS = 5_000;
/**
 * Reads a clone of a response whose body is not being read. If it reaches the end within bounds, the connection is free,
 * and the use of the body ends; otherwise nothing changes. The response itself can still be read.
 *
 * Hazard: this must not hold the response, which could then never be garbage-collected.
 */
function readAhead(copy, use) {
    const reader = copy.body.getReader();
    let isStopped = false;
    const cancel = () => void reader.cancel().catch(() => undefined);
    const stop = () => {
        if (isStopped)
            return;
        isStopped = true;
        cancelTimer();
        // An abort ends the body by itself. In Node 22, cancelling a branch of it before that causes a rejection that cannot
        // be handled.
        if (use.isOver)
            void (0, clock_ts_1.nextTurn)().then(cancel);
        else
            cancel();
    };
    const cancelTimer = use.clock.schedule(stop, LONGEST_READ_AHEAD_MS, true);
    use.stopReadingAhead = stop;
    void read(reader, use, stop, () => isStopped);
}
async function read(reader, use, stop, isStopped) {
    try {
        let bytes = 0;
        for (;;) {
            const part = await reader.read();
            if (isStopped())
                return;
            if (part.done)
                break;
            bytes += part.value.byteLength;
            if (bytes > body_ts_1.MOST_READ_AHEAD_BYTES)
                return stop();
        }
    }
    catch {
        // A body that breaks has ended as well.
    }
    // This calls `stop`.
    if (!isStopped())
        use.end();
}
//# sourceMappingURL=read-ahead.js.map