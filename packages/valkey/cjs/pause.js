"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.FleetPause = void 0;
/** The end of one pause differs a little from reply to reply: it is a duration from now. In milliseconds. */
const SAME_PAUSE_MS = 5;
/** The pause of the whole fleet, as one process knows it: begun or ended here, or reported by the store. */
class FleetPause {
    #hooks;
    /** When the bucket serves again. */
    untilMs = Number.NEGATIVE_INFINITY;
    /** Replies before this moment, on the server's clock in microseconds, say nothing new about the pause. */
    #knownAtUs = 0;
    /** What has yet to be sent to the store: a pause, or the end of one. */
    #unsent;
    #sending;
    constructor(hooks) {
        this.#hooks = hooks;
    }
    /** Takes over the pause of a reply: another process may have begun or ended one. */
    observe({ pausedMs, atUs }, nowMs) {
        // A reply from before the store received our own pause, or its end, is out of date.
        if (this.#unsent === undefined && atUs > this.#knownAtUs) {
            const untilMs = nowMs + pausedMs;
            const laterMs = untilMs - this.untilMs;
            if (pausedMs > 0 && laterMs > SAME_PAUSE_MS)
                this.#begin(untilMs);
            else if (this.untilMs > nowMs && laterMs < -SAME_PAUSE_MS)
                this.#end(untilMs);
            this.#knownAtUs = atUs;
        }
        this.sync(nowMs);
    }
    /** Pauses the fleet. Never shortens a pause. */
    begin(untilMs, nowMs) {
        if (untilMs <= this.untilMs)
            return;
        this.#begin(untilMs);
        this.#unsent = { untilMs };
        this.sync(nowMs);
    }
    /** Ends the pause of the fleet. Other processes see that with their next call. */
    end(nowMs) {
        if (nowMs >= this.untilMs)
            return;
        // If the pause was never sent, its end need not be either.
        this.#unsent = this.#unsent === undefined ? 'end' : undefined;
        this.sync(nowMs);
        this.#end(nowMs);
    }
    #begin(untilMs) {
        this.untilMs = untilMs;
        this.#hooks.onBegin(untilMs);
    }
    #end(untilMs) {
        const earlierMs = this.untilMs - untilMs;
        this.untilMs = untilMs;
        this.#hooks.onEnd(earlierMs);
    }
    /** Sends what the store has not received, if it can be called. */
    sync(nowMs) {
        const unsent = this.#unsent;
        const readiness = this.#hooks.readiness();
        if (unsent === undefined || readiness === 'unavailable')
            return;
        if (readiness === 'unknown') {
            // A pause is sent as a duration. Sent before there is a connection, it would begin, and end, too late.
            this.#sending = this.#hooks.call({ mode: 'peek' }).catch(() => { });
            return;
        }
        this.#unsent = undefined;
        const durationMs = unsent === 'end' ? 0 : unsent.untilMs - nowMs;
        if (unsent !== 'end' && durationMs <= 0)
            return;
        this.#knownAtUs = Number.POSITIVE_INFINITY;
        const call = unsent === 'end' ? { mode: 'unpause' } : { mode: 'pause', durationMs };
        const sending = this.#hooks.call(call).then(({ atUs }) => {
            this.#knownAtUs = atUs;
        }, () => {
            this.#knownAtUs = 0;
            // Unless a later one was sent meanwhile, it is sent again.
            if (this.#sending === sending)
                this.#unsent ??= unsent;
        });
        this.#sending = sending;
    }
    /** Resolves when nothing is being sent. */
    async settled() {
        for (let sending; sending !== this.#sending;) {
            sending = this.#sending;
            await sending;
        }
    }
}
exports.FleetPause = FleetPause;
//# sourceMappingURL=pause.js.map