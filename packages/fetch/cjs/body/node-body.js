"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.whenNodeBodyEnds = whenNodeBodyEnds;
/** How often a stream is checked, in milliseconds. */
const CHECK_EVERY_MS = 1_000;
/** True if all bytes have arrived, read or not. */
function hasArrived(body) {
    return (body.destroyed === true ||
        body.readableEnded === true ||
        body.writableEnded === true ||
        body.complete === true);
}
/** Ends the use of a Node stream, the body type of node-fetch, when it has arrived, was closed or was garbage-collected. */
function whenNodeBodyEnds(body, use) {
    const end = () => use.end();
    // No listener for 'error', which would hide an error that the caller does not handle: a failed stream also closes.
    body.on('end', end);
    body.on('close', end);
    use.letGo();
    const held = new WeakRef(body);
    let cancelTimer;
    use.onEnd(() => cancelTimer?.());
    // A stream has no event for "arrived, but not read".
    const check = () => {
        const stream = held.deref();
        if (use.isOver || stream === undefined)
            return;
        if (hasArrived(stream))
            use.end();
        else
            cancelTimer = use.clock.schedule(check, CHECK_EVERY_MS, true);
    };
    check();
}
//# sourceMappingURL=node-body.js.map