"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.WaitingBucket = void 0;
const check_ts_1 = require("../../base/check.js");
const clock_ts_1 = require("../../base/clock.js");
const bucket_ts_1 = require("../../parts/bucket.js");
const bind_clock_ts_1 = require("../bind-clock.js");
const time_ts_1 = require("../queue/time.js");
const waiting_line_ts_1 = require("../queue/waiting-line.js");
const waiting_room_ts_1 = require("../queue/waiting-room.js");
const closing_ts_1 = require("./closing.js");
const feedback_reader_ts_1 = require("./feedback-reader.js");
const grant_ts_1 = require("./grant.js");
const origin_gates_ts_1 = require("./origin-gates.js");
const NO_OPTIONS = {};
const DEFAULT_LANE = (0, waiting_line_ts_1.laneOf)(0, false);
const CLOSED = 'the bucket was closed';
/**
 * A token bucket without its tokens: the queue with its deadlines, priorities and aborts, the timer, pauses, feedback,
 * statistics, and the treatment of requests for which there are no tokens. A subclass brings a {@link TokenSource}.
 */
class WaitingBucket {
    beforeUse;
    source;
    time;
    #atGates = { waiting: 0 };
    #gates;
    #feedback;
    #setup;
    #room;
    /** The most tokens that a request may cost. */
    #maxCost;
    #granted = 0;
    #marked = 0;
    /** How the bucket was closed; `undefined` while it is open. */
    #closed;
    #sourceClosed;
    #isServedSoon = false;
    #settles = {
        settleGrant: (surplus, held) => {
            // A bucket that was evicted was full: returned tokens change nothing.
            if (surplus < 0)
                this.beforeUse?.();
            this.source.settle(surplus, held, this.time.now());
            this.serve();
        },
    };
    /**
     * @param makeSource makes the source. `time` is what its `nowMs` are counted in, and `queue` the requests that wait. It
     * calls `onChange` when tokens may have come by themselves, or will not come any more: at any time, because the queue is
     * served in a microtask
     * @param makeGate makes the bucket that stands in front of this one for an origin that asked for a pause:
     * with so many tokens, and a count of the requests at all of them
     */
    constructor(setup, makeSource, makeGate) {
        this.#setup = setup;
        this.time = new time_ts_1.SteadyTime(setup.clock);
        this.#room = new waiting_room_ts_1.WaitingRoom(setup, this.time, () => this.serve());
        const make = (tokens) => {
            const gate = makeGate(tokens, this.#atGates);
            (0, bind_clock_ts_1.bindClock)(gate, this.time.clock);
            return gate;
        };
        this.#gates = new origin_gates_ts_1.OriginGates({ now: () => this.time.now(), rate: () => this.gateRate, make }, this.#atGates);
        this.#feedback = new feedback_reader_ts_1.FeedbackReader(setup, this.time);
        this.source = makeSource(this.time, this.#room, () => this.#serveSoon());
        this.#maxCost = this.source.capacity;
        this.#room.limitCost(this.#maxCost);
    }
    get part() {
        return new bucket_ts_1.BucketPart(this);
    }
    takeClock(clock) {
        this.time.bind(clock);
        for (const gate of this.#gates.all())
            (0, bind_clock_ts_1.bindClock)(gate, clock);
    }
    tryAcquire(cost = 1, earlier) {
        this.#checkCost('tryAcquire', cost);
        if (this.#closed !== undefined && !this.#mayReturn(earlier))
            return undefined;
        this.beforeUse?.();
        const nowMs = this.time.now();
        const isEmpty = this.#room.size === 0;
        if (isEmpty && this.source.take(cost, nowMs))
            return this.#grant(cost, 0, nowMs);
        if (this.#setup.nonConforming === 'mark' && this.#lacks(cost, nowMs))
            return this.#mark(cost, 0, nowMs);
        if (isEmpty)
            this.source.missed?.(cost, nowMs);
        return undefined;
    }
    acquire(options = NO_OPTIONS) {
        try {
            const { cost = 1, signal } = options;
            this.#checkCost('acquire', cost);
            this.beforeUse?.();
            const lane = options === NO_OPTIONS ? DEFAULT_LANE : this.#room.laneFor(options);
            if (signal?.aborted)
                throw signal.reason;
            if (this.#closed !== undefined && !this.#mayReturn(options.earlier)) {
                throw this.#room.refusal('closed', CLOSED);
            }
            const nowMs = this.time.now();
            if (this.#room.goesFirst(lane, options, nowMs) && this.source.take(cost, nowMs)) {
                return Promise.resolve(this.#grant(cost, 0, nowMs));
            }
            return this.#acquireLater(options, lane, cost, nowMs);
        }
        catch (error) {
            return Promise.reject(error);
        }
    }
    /** For a request whose tokens are not available now. */
    #acquireLater(options, lane, cost, nowMs) {
        const { unavailable } = this.source;
        if (unavailable !== undefined)
            throw this.#unavailable(unavailable);
        if (this.#setup.nonConforming !== 'delay' && this.#room.size === 0 && this.#lacks(cost, nowMs)) {
            return Promise.resolve(this.#doNotWait(cost, 0, nowMs));
        }
        const waitMs = this.source.waitMs(this.#room.costAhead(options, lane, nowMs) + cost, nowMs);
        let granted;
        try {
            granted = this.#room.join(options, lane, cost, waitMs, nowMs);
        }
        catch (error) {
            this.source.refusedFor?.(waitMs, nowMs);
            throw error;
        }
        this.#arm(nowMs);
        return granted;
    }
    /** Sends a request that may not wait with a mark, or refuses it. */
    #doNotWait(cost, waitedMs, nowMs) {
        // Not a promise: in the queue, the requests behind it would be granted before it.
        if (this.#setup.nonConforming === 'mark')
            return this.#mark(cost, waitedMs, nowMs);
        const waitMs = this.source.waitMs(cost, nowMs);
        this.source.refusedFor?.(waitMs, nowMs);
        return Promise.reject(this.#room.refusal('not-conforming', 'its tokens are not available', waitMs));
    }
    /** True if it is known that the tokens are not available. */
    #lacks(cost, nowMs) {
        return this.source.unavailable === undefined && this.source.waitMs(cost, nowMs) > 0;
    }
    #unavailable({ message, cause }) {
        return this.#room.refusal('unavailable', message, undefined, cause);
    }
    pauseFor(durationMs) {
        (0, check_ts_1.notNegative)('pauseFor: durationMs', durationMs);
        this.beforeUse?.();
        const nowMs = this.time.now();
        if (durationMs > 0)
            this.source.pause(nowMs + durationMs, nowMs);
        this.#room.giveUp(nowMs + this.source.pausedMs(nowMs));
        this.#arm(nowMs);
    }
    resume() {
        this.#gates.resume();
        const nowMs = this.time.now();
        if (this.source.pausedMs(nowMs) === 0)
            return;
        this.source.resume(nowMs);
        this.#room.pauseEnded();
        this.serve();
    }
    observe(outcome, grant, request, read) {
        const said = this.#feedback.read(outcome, grant, request, read);
        const pauseMs = this.#feedback.pauseMs(said);
        if (pauseMs === 0)
            return said;
        this.beforeUse?.();
        const origin = this.#feedback.pausedOrigin(outcome, request);
        if (origin === undefined)
            this.pauseFor(pauseMs);
        else
            this.#gates.pause(origin, pauseMs);
        return said;
    }
    gateFor(request) {
        return this.#gates.for(request);
    }
    /** The rate of a bucket for an origin that asked for a pause. */
    get gateRate() {
        return { refillPerSecond: this.source.refillPerSecond, capacity: this.source.capacity };
    }
    /** The buckets of origins that asked for a pause. */
    gates() {
        return this.#gates.all();
    }
    async idle() {
        do {
            await this.#room.idle();
            // A request that has passed a gate joins this queue next.
            if (await this.#gates.idle())
                await (0, clock_ts_1.nextTurn)();
        } while (this.#room.size > 0 || this.#gates.stats().waiting > 0);
    }
    async close(options) {
        const waiting = (0, closing_ts_1.waitingAtClose)(options);
        this.beforeUse?.();
        if (this.#closed === undefined || waiting === 'reject') {
            this.#closed = waiting;
            this.#gates.close({ waiting });
            if (waiting === 'reject')
                this.#room.dismiss('closed', CLOSED);
        }
        if (this.#closed === 'drain')
            await this.idle();
        this.#sourceClosed ??= this.source.close?.();
        this.#arm(this.time.now());
        await this.idle();
        await this.#sourceClosed;
    }
    /** True for a request that was granted tokens, gave them back, and waits again while the bucket drains. */
    #mayReturn(earlier) {
        return this.#closed === 'drain' && earlier !== undefined;
    }
    stats() {
        const nowMs = this.time.now();
        const { source } = this;
        const gates = this.#gates.stats();
        const pausedMs = Math.max(source.pausedMs(nowMs), gates.pausedMs);
        const waiting = this.#room.size + gates.waiting;
        const isOpen = this.#closed === undefined && gates.count === 0 && pausedMs === 0;
        return {
            tokens: source.tokens(nowMs),
            capacity: this.#maxCost,
            refillPerSecond: source.refillPerSecond,
            waiting,
            waitingCost: this.#room.cost,
            pausedMs,
            granted: this.#granted,
            marked: this.#marked,
            refused: this.#room.refused,
            idle: waiting === 0 && isOpen && source.isIdle(nowMs),
        };
    }
    #checkCost(caller, cost) {
        if (cost > 0 && cost <= this.#maxCost && typeof cost === 'number')
            return;
        const takes = `a number > 0 and ≤ the capacity, ${this.#maxCost}`;
        throw (typeof cost === 'number' ? check_ts_1.wrongRange : check_ts_1.wrongType)(`${caller}: cost`, takes, cost);
    }
    #grant(cost, waitedMs, nowMs) {
        const { source } = this;
        if (source.isBeyond === true)
            return this.#mark(cost, waitedMs, nowMs);
        this.#granted += 1;
        return new grant_ts_1.TokenGrant(cost, waitedMs, this.time.startMs + nowMs, source.held, this.#settles);
    }
    #mark(cost, waitedMs, nowMs) {
        this.#granted += 1;
        this.#marked += 1;
        return new grant_ts_1.TokenGrant(cost, waitedMs, this.time.startMs + nowMs, undefined, undefined);
    }
    /** To be called when the capacity of the source has changed. Requests that cost more are refused, wherever they wait. */
    capacityChanged() {
        this.#maxCost = this.source.capacity;
        this.#room.limitCost(this.#maxCost);
        this.serve();
    }
    /** A source may report a change while it is called, and the queue must not be served twice at a time. */
    #serveSoon() {
        if (this.#isServedSoon)
            return;
        this.#isServedSoon = true;
        queueMicrotask(() => {
            this.#isServedSoon = false;
            this.serve();
        });
    }
    /** Serves the queue until its first request has to go on waiting. */
    serve() {
        const nowMs = this.time.now();
        this.#room.serve(nowMs, (cost, waitedMs) => this.#serveFirst(cost, waitedMs, nowMs));
        this.#arm(nowMs);
    }
    /** The result of the first request in the queue; `undefined` if it goes on waiting. */
    #serveFirst(cost, waitedMs, nowMs) {
        try {
            return this.#grantOrRefuse(cost, waitedMs, nowMs);
        }
        catch (error) {
            // The source is broken. The request must not hold up those behind it.
            return Promise.reject(error);
        }
    }
    #grantOrRefuse(cost, waitedMs, nowMs) {
        const { source } = this;
        if (source.take(cost, nowMs))
            return this.#grant(cost, waitedMs, nowMs);
        const { unavailable } = source;
        if (unavailable !== undefined)
            return Promise.reject(this.#unavailable(unavailable));
        if (this.#setup.nonConforming !== 'delay') {
            return this.#lacks(cost, nowMs) ? this.#doNotWait(cost, waitedMs, nowMs) : undefined;
        }
        if (source.isTooLate?.(cost, this.#room.firstDeadlineMs, nowMs) !== true)
            return undefined;
        // Refused now, so that no request waits behind it in vain.
        const waitMs = source.waitMs(cost, nowMs);
        source.refusedFor?.(waitMs, nowMs);
        return Promise.reject(this.#room.refusal('wait-too-long', 'its turn does not come in time', waitMs));
    }
    #arm(nowMs) {
        this.#room.arm(nowMs, this.source.dueMs(this.#room.firstCost, nowMs));
    }
}
exports.WaitingBucket = WaitingBucket;
//# sourceMappingURL=waiting-bucket.js.map