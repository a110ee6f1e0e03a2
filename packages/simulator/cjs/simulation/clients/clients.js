"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Clients = void 0;
const events_ts_1 = require("../../engine/events.js");
const outcomes_ts_1 = require("../outcomes.js");
const judge_ts_1 = require("./judge.js");
const token_lines_ts_1 = require("./token-lines.js");
const NEVER = Number.POSITIVE_INFINITY;
/** The clients of a fleet: everything that happens to a request, from its start to its end. */
class Clients {
    requests;
    #fleet;
    #events;
    #measures;
    #world;
    #judge;
    #lines;
    constructor(clients, fleet, requests, events, measures, world) {
        this.requests = requests;
        this.#fleet = fleet;
        this.#events = events;
        this.#measures = measures;
        this.#world = world;
        this.#judge = new judge_ts_1.Judge(fleet, requests, measures);
        if (fleet.buckets !== undefined) {
            this.#lines = new token_lines_ts_1.TokenLines(clients, fleet.buckets, fleet.cost, this.requests, (client, atMs) => events.add(atMs - events.nowMs, events_ts_1.LOOK, client));
        }
    }
    begin(client) {
        const measures = this.#measures;
        measures.count(measures.series.requests);
        this.#fleet.custom?.[client]?.onRequest?.();
        this.#fleet.shared?.begin(client);
        this.ready(this.requests.begin(client, this.#events.nowMs));
    }
    /** The backoff of the next attempt is over. Sends it as soon as it has tokens. */
    ready(request) {
        const { custom } = this.#fleet;
        const client = this.requests.client(request);
        const lines = this.#lines;
        if (custom !== undefined && custom[client]?.admit?.() === false)
            this.#throttled(request);
        else if (lines === undefined)
            this.#send(request);
        else
            this.#acquire(lines, request, client);
    }
    #acquire(lines, request, client) {
        const { nowMs } = this.#events;
        const maxWaitMs = this.#maxWaitMs(request, client);
        const admission = lines.acquire(request, maxWaitMs, nowMs);
        if (admission === 'refused') {
            this.#throttled(request);
        }
        else if (admission !== 'wait') {
            this.#granted(request);
        }
        else if (maxWaitMs < NEVER) {
            this.#events.add(maxWaitMs, events_ts_1.EXPIRE, request, this.requests.renew(request));
        }
    }
    /** How long a request may wait for tokens, in milliseconds. */
    #maxWaitMs(request, client) {
        const { totalTimeoutMs } = this.#fleet.policyOf(client);
        const maxWaitMs = Math.min(this.#fleet.maxWaitMs, this.#fleet.buckets?.rules.maxWaitMs ?? NEVER);
        if (totalTimeoutMs === undefined)
            return maxWaitMs;
        const endMs = this.requests.startedAtMs(request) + totalTimeoutMs;
        return Math.min(maxWaitMs, Math.max(0, endMs - this.#events.nowMs));
    }
    /** Sends those of a client's waiting requests that can have their tokens now. */
    look(client) {
        const lines = this.#lines;
        if (lines === undefined)
            return;
        const { nowMs } = this.#events;
        for (let request = lines.look(client, nowMs); request >= 0; request = lines.look(client, nowMs)) {
            this.#granted(request);
        }
    }
    #granted(request) {
        const { nowMs } = this.#events;
        this.requests.grant(request, nowMs);
        this.#measures.tokenWait.add(nowMs - this.requests.sinceMs(request));
        this.#send(request);
    }
    /** The longest wait for tokens that a request allows is over. */
    expire(request, stamp) {
        if (this.requests.stamp(request) !== stamp)
            return;
        const lines = this.#lines;
        const client = this.requests.client(request);
        const { nowMs } = this.#events;
        // Its tokens may arrive at this very time.
        for (let first = lines.serve(client, nowMs); first >= 0; first = lines.serve(client, nowMs)) {
            this.#granted(first);
        }
        if (this.requests.stamp(request) !== stamp)
            return;
        lines.leave(request);
        this.#throttled(request);
    }
    #throttled(request) {
        this.#measures.count(this.#measures.series.throttledLocally);
        this.#end(request);
    }
    #send(request) {
        const measures = this.#measures;
        measures.count(measures.series.sends);
        const stamp = this.requests.renew(request);
        this.#world.send(request, stamp);
        // Without a network the attempt may be answered already.
        if (this.requests.stamp(request) !== stamp)
            return;
        const { attemptTimeoutMs } = this.#fleet.policyOf(this.requests.client(request));
        if (attemptTimeoutMs !== undefined)
            this.#events.add(attemptTimeoutMs, events_ts_1.TIMEOUT, request, stamp);
    }
    /** An attempt is answered or has timed out. An answer to an attempt that was given up is only counted. */
    learn(request, stamp, outcome) {
        if (this.requests.stamp(request) === stamp)
            this.#retryOrEnd(request, outcome);
        else if (outcome === outcomes_ts_1.OK)
            this.#measures.count(this.#measures.series.lateAnswers);
    }
    #retryOrEnd(request, outcome) {
        const { requests } = this;
        const { nowMs } = this.#events;
        const measures = this.#measures;
        const decision = this.#judge.judge(request, outcome, nowMs);
        if (decision.retry) {
            requests.retry(request, decision.backoffMs);
            this.#events.add(decision.delayMs, events_ts_1.SEND, request);
            return;
        }
        if (decision.reason === 'success') {
            measures.count(measures.series.successes);
            measures.latency.add(nowMs - requests.startedAtMs(request));
        }
        else {
            measures.count(measures.series.failures);
        }
        this.#end(request);
    }
    #end(request) {
        const client = this.requests.client(request);
        this.requests.end(request);
        this.#fleet.shared?.end(client);
        this.#world.ended(client);
    }
}
exports.Clients = Clients;
//# sourceMappingURL=clients.js.map