"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Settling = void 0;
const check_ts_1 = require("./check.js");
const clock_ts_1 = require("./clock.js");
const options_ts_1 = require("./options.js");
const OPTIONS = {
    realTimeoutMs: { check: check_ts_1.positive, default: 4_000 },
    ioMs: { check: check_ts_1.notNegative, default: 250 },
};
/** A server in the same process takes a turn of the event loop for each of connection, request, response and body. */
const IO_TURNS = 12;
const NOTHING_WAITS = 'no timer is pending. Nothing waits on this clock: a policy or a limit without it waits in real time, so pass `clock` to ' +
    'createPolicy, and to a limit that is used without a policy; or a mock or a server has not answered';
/** Makes the calls of a clock one by one, while promises are waited for. */
class Settling {
    #time;
    /** How many promises are waited for. */
    #waiting = 0;
    /** One step for all of them: two promises do not halve the real time between two calls. */
    #step;
    #onChange;
    #made = 0;
    constructor(time) {
        this.#time = time;
    }
    /** To be called when a call was scheduled or cancelled. */
    changed() {
        this.#onChange?.();
    }
    async run(promise, options) {
        const { realTimeoutMs, ioMs } = (0, options_ts_1.readOptions)('runUntilSettled', options, OPTIONS);
        const settling = Promise.resolve(promise);
        const state = { isSettled: false, isLate: false };
        const made = this.#made;
        this.#waiting += 1;
        const end = () => {
            state.isSettled = true;
        };
        const settled = settling.then(end, end);
        let cancel = () => undefined;
        const late = new Promise((resolve) => {
            cancel = (0, clock_ts_1.inRealTime)(() => {
                state.isLate = true;
                resolve();
            }, realTimeoutMs);
        });
        try {
            // A promise that has settled shows it within a turn.
            await Promise.race([settled, (0, clock_ts_1.nextTurn)()]);
            while (!state.isSettled && !state.isLate)
                await Promise.race([settled, late, this.#next(ioMs)]);
            if (!state.isSettled)
                throw this.#error(realTimeoutMs, this.#made - made);
            return await settling;
        }
        finally {
            this.#waiting -= 1;
            cancel();
        }
    }
    #next(ioMs) {
        this.#step ??= this.#go(ioMs).finally(() => {
            this.#step = undefined;
        });
        return this.#step;
    }
    async #go(ioMs) {
        const next = this.#time.next();
        // Without a timer, sockets and other code may schedule one. Until then there is nothing to do.
        if (next === undefined || next.atMs === Number.POSITIVE_INFINITY)
            return this.#other(next);
        const pauseMs = next.isWait ? 0 : Math.min(ioMs, next.atMs - this.#time.now());
        if (pauseMs > 0) {
            let cancel = () => undefined;
            const pause = new Promise((resolve) => {
                cancel = (0, clock_ts_1.inRealTime)(resolve, pauseMs);
            });
            // A response cancels the timer that guards it.
            await Promise.race([pause, this.#other(next)]);
            cancel();
        }
        for (let turn = 0; turn < IO_TURNS; turn += 1)
            await (0, clock_ts_1.nextTurn)();
        if (this.#waiting === 0 || this.#time.next() !== next)
            return;
        this.#made += 1;
        this.#time.callNext();
    }
    /** Resolves when another call is the next. */
    #other(than) {
        return new Promise((resolve) => {
            this.#onChange = () => {
                if (this.#time.next() !== than)
                    resolve();
            };
        });
    }
    #error(realTimeoutMs, made) {
        const { pending, elapsedMs } = this.#time;
        const nextMs = (this.#time.next()?.atMs ?? 0) - this.#time.now();
        const waiting = pending === 0 ? NOTHING_WAITS : `${pending} pending, the next in ${nextMs} ms`;
        return new Error(`runUntilSettled: the promise did not settle within ${realTimeoutMs} ms of real time. ` +
            `Timers of the clock: ${made} fired in its ${elapsedMs} ms, ${waiting}`);
    }
}
exports.Settling = Settling;
//# sourceMappingURL=settling.js.map