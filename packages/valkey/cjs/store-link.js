"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.StoreLink = void 0;
const bucket_1 = require("@ebb/core/bucket");
const backlog_ts_1 = require("./backlog.js");
const bucket_state_ts_1 = require("./bucket-state.js");
const bucket_store_ts_1 = require("./bucket-store.js");
const connect_wait_ts_1 = require("./connect-wait.js");
const connection_ts_1 = require("./connection.js");
const events_ts_1 = require("./events.js");
const loss_detector_ts_1 = require("./loss-detector.js");
const outage_ts_1 = require("./outage.js");
const pause_ts_1 = require("./pause.js");
const process_count_ts_1 = require("./process-count.js");
/** How long the highest count of processes is valid, in milliseconds. */
const COUNT_VALID_MS = 60_000;
/**
 * A store that lost the bucket repeatedly must keep it this long before the bucket is shared again, in milliseconds.
 */
const PROBATION_MS = 1_000;
/**
 * The connection of one process to the shared bucket: what the store said last, and whether it can be called. An error
 * or a missing reply starts an outage; retries end it.
 */
class StoreLink {
    #setup;
    #time;
    #store;
    #hooks;
    #connection;
    #connectWait;
    #losses;
    #state = new bucket_state_ts_1.BucketState();
    #processes = new process_count_ts_1.ProcessCount(COUNT_VALID_MS);
    pause;
    /** `undefined` while the store can be called. */
    outage;
    isClosed = false;
    /** How often the store was called. */
    calls = 0;
    /** When the store was called last. */
    calledAtMs = Number.NEGATIVE_INFINITY;
    /** When the latest call that got a reply was sent. */
    #answeredCallMs = Number.NEGATIVE_INFINITY;
    constructor(setup, time, hooks) {
        this.#setup = setup;
        this.#time = time;
        this.#hooks = hooks;
        this.#losses = new loss_detector_ts_1.LossDetector((setup.capacity * 1_000) / setup.refillPerSecond);
        this.#connectWait = new connect_wait_ts_1.ConnectWait(setup, time, hooks.deadlineMs);
        const connection = (0, connection_ts_1.watchConnection)(setup.client);
        this.#connection = connection;
        const capacity = (0, backlog_ts_1.micro)(setup.capacity);
        const extraWaitMs = (error) => this.#connectLeftMs(error);
        const onLate = (call, reply) => this.#onLate(call, reply);
        this.#store = new bucket_store_ts_1.BucketStore({ ...setup, connection, capacity, time, extraWaitMs, onLate });
        this.pause = new pause_ts_1.FleetPause({
            call: (call) => this.call(call),
            readiness: () => this.#readiness(),
            onBegin: (untilMs) => {
                this.outage?.local.pause(untilMs);
                hooks.onPause(untilMs);
            },
            onEnd: (earlierMs) => {
                this.outage?.local.resume(earlierMs);
                hooks.onChange();
            },
        });
    }
    /** The highest count of processes in the last minute; 0 before the first reply. */
    get processes() {
        return this.#processes.value;
    }
    /** When the bucket is or was empty, by the last reply; `-Infinity` before the first. */
    get emptyAtMs() {
        return this.#state.emptyAtMs;
    }
    /** Calls the store. A failure starts an outage. */
    async call(call) {
        const sentAtMs = this.#time.now();
        this.#connectWait.start(sentAtMs);
        for (let retries = 0;; retries += 1) {
            this.calledAtMs = this.#time.now();
            this.calls += 1;
            try {
                const reply = await this.#store.call(call);
                this.#answeredCallMs = Math.max(this.#answeredCallMs, sentAtMs);
                this.#apply(reply);
                this.#losses.record(reply.lostBucket, this.#time.now());
                return reply;
            }
            catch (error) {
                if (await this.#waitForConnection(error, retries))
                    continue;
                // If a later call got a reply, this failure is over already.
                if (sentAtMs >= this.#answeredCallMs)
                    this.#startOutage(error, sentAtMs);
                throw error;
            }
        }
    }
    /** How much longer to wait for the first connection, in milliseconds; 0 if the store was reached before. */
    #connectLeftMs(error) {
        if (this.processes > 0 || this.outage !== undefined || this.isClosed)
            return 0;
        return this.#connectWait.leftMs(error);
    }
    /** Some clients reject calls while they connect. Waits, and returns whether to call again. */
    async #waitForConnection(error, retries) {
        const leftMs = this.#connectLeftMs(error);
        if (leftMs <= 0)
            return false;
        // With at most `timeoutMs` here, closing ends within twice that.
        const delayMs = Math.min((0, outage_ts_1.retryDelayMs)(this.#setup, retries), this.#setup.timeoutMs, leftMs);
        await (0, bucket_1.sleep)(this.#time.clock, delayMs);
        return this.outage === undefined && !this.isClosed;
    }
    /** Whether a call that must arrive in time can be sent now. */
    #readiness() {
        if (this.outage !== undefined)
            return 'unavailable';
        if (this.processes > 0)
            return 'connected';
        return this.#store.unansweredCalls(this.#time.now()) === 0 ? 'unknown' : 'unavailable';
    }
    /** Stops watching the client. No outage starts from now on. */
    close() {
        this.isClosed = true;
        this.#connection.release();
    }
    #apply(reply) {
        const nowMs = this.#time.now();
        if (this.#state.observe(reply, nowMs))
            this.#hooks.onState(this.emptyAtMs);
        // A store that lost the bucket counts from 0 again.
        if (this.outage !== undefined)
            this.#processes.renew(nowMs);
        this.#processes.record(reply.processes, nowMs);
        this.pause.observe(reply, nowMs);
    }
    #startOutage(error, sinceMs) {
        if (this.outage !== undefined || this.isClosed)
            return;
        const nowMs = this.#time.now();
        // Other processes have leased as far ahead again since the last reply.
        const emptyAtMs = nowMs + this.#state.leasedAheadMs;
        this.outage = new outage_ts_1.Outage(this.#setup, error, this.processes, sinceMs, emptyAtMs, nowMs);
        const { mode, share } = this.outage;
        (0, events_ts_1.emitStoreEvent)(this.#setup, this.#time.clock, { type: 'lost', error, mode, share });
        this.#hooks.onChange();
    }
    /** During an outage: calls the store if a retry is due, and shares the bucket again if its time has come. */
    check(nowMs) {
        const { outage } = this;
        if (outage === undefined || this.isClosed)
            return;
        if (nowMs >= outage.sharedAtMs)
            void this.#endOutage(outage, nowMs);
        else if (nowMs >= outage.nextRetryMs(this.#store.unansweredCalls(nowMs)))
            void this.#retry(outage, nowMs);
    }
    /** When to call {@link check} next; `Infinity` without an outage. */
    nextCheckMs(waiting, nowMs) {
        return this.outage?.nextCheckMs(this.#store.unansweredCalls(nowMs), waiting) ?? Number.POSITIVE_INFINITY;
    }
    async #retry(outage, nowMs) {
        outage.scheduleRetry(nowMs);
        const outageMs = nowMs - outage.sinceMs;
        const handoverMs = outage.handoverMs(nowMs);
        this.calls += 1;
        try {
            const reply = await this.#store.call({ mode: 'resume', outageMs, handoverMs });
            if (this.outage !== outage)
                return;
            if (reply.tooLate)
                throw new Error('The call reached the store after its deadline');
            this.#apply(reply);
            this.#answeredCallMs = nowMs;
            this.#losses.record(reply.lostBucket, this.#time.now());
            const resumeInMs = outage.isForgetful ? Math.max(reply.resumeInMs, PROBATION_MS) : reply.resumeInMs;
            outage.sharedAtMs = this.#time.now() + Math.max(0, resumeInMs);
            this.#hooks.onDebt(outage.debt(outageMs, reply.resumeInMs));
        }
        catch {
            // The outage goes on.
        }
        this.#hooks.onChange();
    }
    async #endOutage(outage, nowMs) {
        if (outage.isForgetful && !(await this.#hasKeptBucket(outage, nowMs)))
            return;
        if (this.outage !== outage)
            return;
        const endMs = this.#time.now();
        this.outage = undefined;
        (0, events_ts_1.emitStoreEvent)(this.#setup, this.#time.clock, { type: 'back', outageMs: endMs - outage.sinceMs });
        this.pause.sync(endMs);
        this.#hooks.onChange();
    }
    /** Whether the store still has the bucket after its probation. If not, the outage goes on. */
    async #hasKeptBucket(outage, nowMs) {
        outage.sharedAtMs = Number.POSITIVE_INFINITY;
        outage.scheduleRetry(nowMs);
        this.calls += 1;
        try {
            const reply = await this.#store.call({ mode: 'peek' });
            this.#apply(reply);
            this.#losses.record(reply.lostBucket, this.#time.now());
            return true;
        }
        catch {
            this.#hooks.onChange();
            return false;
        }
    }
    /** A reply (or an error, then `undefined`) came after its call had timed out. */
    #onLate(call, reply) {
        if (reply !== undefined) {
            this.outage?.retryNow();
            if (call.mode === 'lease')
                this.#hooks.onLateLease(reply, this.#time.now());
        }
        this.#hooks.onChange();
    }
}
exports.StoreLink = StoreLink;
//# sourceMappingURL=store-link.js.map