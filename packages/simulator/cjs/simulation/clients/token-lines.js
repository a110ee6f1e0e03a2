"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.TokenLines = void 0;
const NONE = -1;
const NEVER = Number.POSITIVE_INFINITY;
/**
 * Times are sums of fractions: a wait that is longer than allowed by less than this is in time, as in core. Also the
 * shortest time between two looks at a line.
 */
const TOLERANCE_MS = 1e-3;
/** The numbers of one client lie side by side, in one cache line. */
const WIDTH = 8;
/** Two lanes, for new requests and for retries, each with its first and its last request. */
const FIRST = 0;
const LAST = 1;
const LANES = 2;
const WAITING = 4;
const LOOKS_AT = 5;
/**
 * The requests of each client that wait for its tokens: first come, first served, and retries ahead of new requests,
 * as in core's token bucket. `token-lines.property.test.ts` holds the two against each other.
 */
class TokenLines {
    #rules;
    #cost;
    #tokens;
    #requests;
    #clients;
    /** Schedules a call of {@link look} for a client. */
    #lookAt;
    constructor(clients, { rules, tokens }, cost, requests, lookAt) {
        this.#rules = rules;
        this.#tokens = tokens;
        this.#cost = cost;
        this.#requests = requests;
        this.#lookAt = lookAt;
        this.#clients = new Float64Array(WIDTH * clients).fill(NONE);
        for (let at = 0; at < this.#clients.length; at += WIDTH) {
            this.#clients[at + WAITING] = 0;
            this.#clients[at + LOOKS_AT] = NEVER;
        }
    }
    /** Takes the tokens of a request, or lets it wait for them, at most `maxWaitMs`. */
    acquire(request, maxWaitMs, nowMs) {
        const { nonConforming, maxQueue } = this.#rules;
        const requests = this.#requests;
        const client = requests.client(request);
        const retry = requests.attempt(request) > 1;
        requests.startWait(request, nowMs);
        const ahead = this.#ahead(client, retry, nowMs);
        if (ahead === 0 && this.#tokens.take(client, this.#cost, nowMs))
            return 'go';
        if (nonConforming === 'mark')
            return 'marked';
        if (nonConforming === 'reject')
            return 'refused';
        const waitMs = this.#tokens.waitMs(client, (ahead + 1) * this.#cost, nowMs);
        if (maxWaitMs === 0 || waitMs > maxWaitMs + TOLERANCE_MS)
            return 'refused';
        if (this.#waiting(client) >= maxQueue)
            return 'refused';
        this.#join(request, laneOf(client, retry));
        this.#clients[client * WIDTH + WAITING] = this.#waiting(client) + 1;
        if (nowMs + waitMs < this.#looksAtMs(client))
            this.#lookLater(client, nowMs + waitMs);
        return 'wait';
    }
    #waiting(client) {
        return this.#clients[client * WIDTH + WAITING];
    }
    #looksAtMs(client) {
        return this.#clients[client * WIDTH + LOOKS_AT];
    }
    #first(lane) {
        return this.#clients[lane + FIRST];
    }
    /** How many waiting requests come before a request that arrives now, if none of them leaves. */
    #ahead(client, retry, nowMs) {
        const waiting = this.#waiting(client);
        if (waiting === 0 || !retry)
            return waiting;
        const requests = this.#requests;
        let ahead = 0;
        for (let at = this.#first(laneOf(client, true)); at !== NONE; at = requests.next(at))
            ahead += 1;
        // New requests that have waited for longer than the head start of retries come first.
        const beforeMs = nowMs - this.#rules.headStartMs;
        let at = this.#first(laneOf(client, false));
        for (; at !== NONE && requests.sinceMs(at) < beforeMs; at = requests.next(at))
            ahead += 1;
        return ahead;
    }
    #join(request, lane) {
        const last = this.#clients[lane + LAST];
        this.#requests.link(request, NONE);
        if (last === NONE)
            this.#clients[lane + FIRST] = request;
        else
            this.#requests.link(last, request);
        this.#clients[lane + LAST] = request;
    }
    #lookLater(client, atMs) {
        this.#clients[client * WIDTH + LOOKS_AT] = atMs;
        this.#lookAt(client, atMs);
    }
    /** The lane of the request that is next. */
    #nextLane(client) {
        const lanes = [laneOf(client, false), laneOf(client, true)];
        const fresh = this.#first(lanes[0]);
        const retry = this.#first(lanes[1]);
        if (fresh === NONE)
            return lanes[1];
        if (retry === NONE)
            return lanes[0];
        const requests = this.#requests;
        const retryIsNext = requests.sinceMs(retry) - this.#rules.headStartMs <= requests.sinceMs(fresh);
        return retryIsNext ? lanes[1] : lanes[0];
    }
    /**
     * Removes a request of the client that has its tokens now, and returns it; below 0 if there is none. Call it until
     * there is none.
     */
    look(client, nowMs) {
        if (nowMs < this.#looksAtMs(client))
            return NONE;
        if (this.#waiting(client) === 0) {
            this.#clients[client * WIDTH + LOOKS_AT] = NEVER;
            return NONE;
        }
        const request = this.serve(client, nowMs);
        if (request === NONE) {
            this.#lookLater(client, nowMs + Math.max(TOLERANCE_MS, this.#tokens.waitMs(client, this.#cost, nowMs)));
        }
        return request;
    }
    /** As {@link look}, but at any time, and without scheduling another look. */
    serve(client, nowMs) {
        if (this.#waiting(client) === 0 || !this.#tokens.take(client, this.#cost, nowMs))
            return NONE;
        const lane = this.#nextLane(client);
        const request = this.#first(lane);
        this.#remove(request, NONE, lane);
        return request;
    }
    #remove(request, before, lane) {
        const after = this.#requests.next(request);
        if (before === NONE)
            this.#clients[lane + FIRST] = after;
        else
            this.#requests.link(before, after);
        if (after === NONE)
            this.#clients[lane + LAST] = before;
        const client = this.#requests.client(request);
        this.#clients[client * WIDTH + WAITING] = this.#waiting(client) - 1;
    }
    /** Removes a request that may wait no longer. */
    leave(request) {
        const requests = this.#requests;
        const lane = laneOf(requests.client(request), requests.attempt(request) > 1);
        let before = NONE;
        for (let at = this.#first(lane); at !== NONE; at = requests.next(at)) {
            if (at === request) {
                this.#remove(request, before, lane);
                return;
            }
            before = at;
        }
    }
}
exports.TokenLines = TokenLines;
/** The index of a client's lane for new requests or for retries. */
function laneOf(client, retry) {
    return client * WIDTH + (retry ? LANES : 0);
}
//# sourceMappingURL=token-lines.js.map