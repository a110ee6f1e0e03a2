"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Server = void 0;
const distributions_ts_1 = require("../../engine/distributions.js");
const outcomes_ts_1 = require("../outcomes.js");
const job_line_ts_1 = require("./job-line.js");
const server_bucket_ts_1 = require("./server-bucket.js");
const trouble_ts_1 = require("./trouble.js");
function serviceTimeOf(options) {
    const { serviceMs, serviceSpread = 'exponential' } = options;
    if (serviceSpread === 'constant')
        return () => serviceMs;
    const draw = serviceSpread === 'exponential' ? distributions_ts_1.exponentialTime : distributions_ts_1.logNormalTime;
    return (random) => draw(serviceMs, random);
}
/**
 * Workers that each serve one request at a time, and a queue before them. The server does not learn that a client has
 * given up: it serves abandoned requests like all others, as real servers do.
 */
class Server {
    /** Requests that are being served, including those of workers that leave after their request. */
    busy = 0;
    #options;
    #world;
    #serviceTime;
    #maxQueue;
    #line = new job_line_ts_1.JobLine();
    #bucket;
    #health = { capacityShare: 1, errorShare: 0, outage: undefined };
    #workers;
    /** Changes when the requests that are being served are lost. */
    #epoch = 0;
    #lostInSilence = false;
    constructor(options, world) {
        this.#options = options;
        this.#world = world;
        this.#serviceTime = serviceTimeOf(options);
        this.#maxQueue = options.maxQueue ?? Number.POSITIVE_INFINITY;
        this.#workers = options.workers;
        this.#bucket = options.limit && new server_bucket_ts_1.ServerBucket(options.limit);
    }
    /** Requests that wait for a worker. */
    get queue() {
        return this.#line.size;
    }
    /** The times at which {@link change} must be called. */
    get moments() {
        return (0, trouble_ts_1.momentsOf)(this.#options.troubles ?? []);
    }
    /** A request arrives. */
    receive(job, stamp, nowMs) {
        const { outage } = this.#health;
        if (outage !== undefined) {
            if (outage !== trouble_ts_1.SILENCE)
                this.#world.answer(job, stamp, outage);
            return;
        }
        if (this.#bucket !== undefined && !this.#bucket.take(nowMs)) {
            this.#world.answer(job, stamp, (0, outcomes_ts_1.tooMany)(this.#bucket.retryAfterSeconds(nowMs)));
        }
        else if (this.busy < this.#workers) {
            this.#serve(job, stamp);
        }
        else if (this.#line.size < this.#maxQueue) {
            this.#line.push(job, stamp);
        }
        else {
            this.#world.answer(job, stamp, outcomes_ts_1.UNAVAILABLE);
        }
    }
    #serve(job, stamp) {
        this.busy += 1;
        this.#world.finishIn(this.#serviceTime(this.#world.random), job, stamp, this.#epoch);
    }
    /** A worker is done. If its request was lost in an outage, the client learns so now, when it expected the answer. */
    finish(job, stamp, epoch) {
        if (epoch !== this.#epoch) {
            if (!this.#lostInSilence)
                this.#world.answer(job, stamp, outcomes_ts_1.RESET);
            return;
        }
        this.busy -= 1;
        const { errorShare } = this.#health;
        const failed = errorShare > 0 && this.#world.random() < errorShare;
        this.#world.answer(job, stamp, failed ? outcomes_ts_1.UNAVAILABLE : outcomes_ts_1.OK);
        this.#serveWaiting();
    }
    #serveWaiting() {
        while (this.busy < this.#workers && this.#line.size > 0) {
            const job = this.#line.shift();
            this.#serve(job, this.#line.stamp);
        }
    }
    /** A trouble begins, changes or ends. */
    change(nowMs) {
        const before = this.#health;
        this.#health = (0, trouble_ts_1.healthAt)(this.#options.troubles ?? [], nowMs);
        this.#workers = Math.round(this.#options.workers * this.#health.capacityShare);
        const { outage } = this.#health;
        if (outage !== undefined && before.outage === undefined) {
            this.#epoch = (this.#epoch + 1) & 0x7f;
            this.#lostInSilence = outage === trouble_ts_1.SILENCE;
            this.busy = 0;
            while (this.#line.size > 0) {
                const job = this.#line.shift();
                if (!this.#lostInSilence)
                    this.#world.answer(job, this.#line.stamp, outcomes_ts_1.RESET);
            }
        }
        this.#serveWaiting();
    }
}
exports.Server = Server;
//# sourceMappingURL=server.js.map