"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.BucketStore = void 0;
const bucket_1 = require("@ebb/core/bucket");
const run_script_ts_1 = require("./run-script.js");
const script_ts_1 = require("./script.js");
const store_call_ts_1 = require("./store-call.js");
const store_error_ts_1 = require("./store-error.js");
const time_limit_ts_1 = require("./time-limit.js");
/** A call that has no reply after so long will never get one. In milliseconds. */
const GIVEN_UP_MS = 10_000;
/** Calls the script of one bucket, and hands in the last state that this process saw. */
class BucketStore {
    #options;
    /** The last state, and when the server wrote it, on its own clock, in microseconds. */
    #state = '';
    #stateAtUs = 0;
    #parsed;
    /** When tokens were last leased, on the server's clock, in microseconds. */
    #leasedAtUs = 0;
    /** How far the server's clock is ahead of ours, in milliseconds; `undefined` before the first reply. */
    #clockAheadMs;
    /** The calls without a reply, those that timed out included. */
    #unanswered = new Set();
    constructor(options) {
        this.#options = options;
    }
    /** How many calls of the last 10 s have no reply. */
    unansweredCalls(nowMs) {
        for (const call of this.#unanswered) {
            if (nowMs - call.sentAtMs > GIVEN_UP_MS)
                this.#unanswered.delete(call);
        }
        return this.#unanswered.size;
    }
    /** Rejects with the client's error, or if there is no reply in time. */
    call(call) {
        const { time, timeoutMs, onLate, extraWaitMs, connection } = this.#options;
        return new Promise((resolve, reject) => {
            let timedOut = false;
            const sent = { sentAtMs: time.now() };
            this.#unanswered.add(sent);
            const onTimeout = () => {
                const connectionError = connection.error();
                const extraMs = Math.min(extraWaitMs(connectionError), timeoutMs);
                if (extraMs > 0) {
                    stopTimer = (0, time_limit_ts_1.timeLimit)(time.clock, extraMs, onTimeout);
                    return;
                }
                timedOut = true;
                reject((0, store_error_ts_1.noReply)(time.now() - sent.sentAtMs, connectionError));
            };
            let stopTimer = (0, time_limit_ts_1.timeLimit)(time.clock, timeoutMs, onTimeout);
            const settled = () => {
                this.#unanswered.delete(sent);
                stopTimer();
            };
            this.#send(call).then((reply) => {
                settled();
                // Replies come in order: earlier calls without one will not get any.
                for (const other of this.#unanswered) {
                    if (other.sentAtMs < sent.sentAtMs)
                        this.#unanswered.delete(other);
                }
                if (timedOut)
                    onLate(call, reply);
                else
                    resolve(reply);
            }, (error) => {
                settled();
                if (timedOut)
                    onLate(call, undefined);
                else
                    reject((0, store_error_ts_1.withoutSecrets)(error));
            });
        });
    }
    async #send(call) {
        const { storeClient, key, refillPerSecond, capacity, timeoutMs, time } = this.#options;
        // A call that was queued until no one waits for its reply must do nothing, so it carries a deadline.
        const deadlineMs = this.#clockAheadMs === undefined ? 0 : time.now() + this.#clockAheadMs + 2 * timeoutMs;
        const common = [
            `${refillPerSecond}`,
            `${capacity}`,
            this.#state,
            Math.ceil(deadlineMs * 1_000).toFixed(0),
            `${this.#leasedAtUs}`,
        ];
        const args = [call.mode, ...common, ...(0, store_call_ts_1.argumentsOf)(call)];
        try {
            return this.#receive(call, await (0, run_script_ts_1.runScript)(storeClient, { text: script_ts_1.SCRIPT, sha1: script_ts_1.SCRIPT_SHA1 }, key, args));
        }
        catch (error) {
            throw await this.#causeOf(error);
        }
    }
    /** node-redis sends commands after a failed login. The login's error comes before, or in the same turn. */
    async #causeOf(error) {
        if (!/NOAUTH|unauthenticated/.test((0, store_error_ts_1.messageOf)(error)))
            return error;
        await (0, bucket_1.nextTurn)();
        const connectionError = this.#options.connection.error();
        return (0, store_error_ts_1.isPermanent)(connectionError) ? connectionError : error;
    }
    #receive(call, rawReply) {
        const reply = (0, store_call_ts_1.parseReply)(call, rawReply);
        const { granted, atUs, state } = reply;
        this.#options.connection.clearError();
        this.#clockAheadMs = atUs / 1_000 - this.#options.time.now();
        if (call.mode === 'lease' && granted > 0)
            this.#leasedAtUs = atUs;
        return { ...reply, lostBucket: this.#updateState(state, atUs) };
    }
    /** Keeps the state if it is the newest. Returns whether the store has lost the bucket in between. */
    #updateState(state, atUs) {
        if ((0, store_call_ts_1.isOvertaken)(atUs, this.#stateAtUs))
            return false;
        const { capacity, refillPerSecond } = this.#options;
        const before = this.#parsed;
        this.#parsed = (0, store_call_ts_1.parseState)(state, capacity / refillPerSecond);
        this.#state = state;
        this.#stateAtUs = atUs;
        return before !== undefined && atUs < before.keptUntilUs && this.#parsed?.epoch !== before.epoch;
    }
}
exports.BucketStore = BucketStore;
//# sourceMappingURL=bucket-store.js.map