"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.bounded = bounded;
const adapter_1 = require("@ebb/core/adapter");
/**
 * Starts an attempt, and settles as it does. If a timeout or an abort ends it, rejects with the reason one turn of the
 * event loop later, even if the attempt ignores its signal.
 *
 * @param start starts the attempt; its argument is updated while the attempt is under way
 * @param late gets a result that arrives after that
 */
function bounded({ clock, timeoutMs, timeoutError: makeError, signal, keepsSignal }, start, late) {
    const timeout = timeoutMs === undefined ? undefined : new AbortController();
    // `AbortSignal.any` follows the caller's signal while the body is read as well.
    const combined = timeout && (signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]));
    const state = { signal: keepsSignal ? undefined : combined, over: false, timedOut: false };
    return new Promise((resolve, reject) => {
        let isSettled = false;
        const settle = (how) => {
            isSettled = true;
            state.over = true;
            unwatch?.();
            cancelTimer?.();
            how();
        };
        // The base fetch gets one turn to reject with an error of its own.
        const giveUp = (reason) => {
            state.over = true;
            void (0, adapter_1.nextTurn)().then(() => isSettled || settle(() => reject(reason())));
        };
        const watched = signal?.aborted === false ? signal : undefined;
        const unwatch = watched && (0, adapter_1.onAbort)(watched, () => giveUp(() => watched.reason));
        const cancelTimer = timeout &&
            clock.schedule(() => {
                state.timedOut = true;
                timeout.abort(makeError?.());
                giveUp(() => timeout.signal.reason);
            }, timeoutMs);
        // Starts at once; an async function, so that an exception becomes a rejection.
        const started = (async () => start(state))();
        started.then((result) => (isSettled ? late(result) : settle(() => resolve(result))), (error) => isSettled || settle(() => reject(error)));
    });
}
//# sourceMappingURL=bounded.js.map