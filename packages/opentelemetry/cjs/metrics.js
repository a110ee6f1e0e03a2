"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.RequestMetrics = void 0;
const http_attributes_ts_1 = require("./http-attributes.js");
/** In seconds. Waits go from milliseconds in a queue to the ten minutes that a `Retry-After` may ask for. */
const WAIT_BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
/** Counts what happens to requests. */
class RequestMetrics {
    #requests;
    #attempts;
    #retries;
    #marks;
    #backoff;
    #throttle;
    /** Requests that never end are collected with their request. */
    #pending = new WeakMap();
    constructor(meter) {
        const wait = { unit: 's', advice: { explicitBucketBoundaries: WAIT_BOUNDARIES } };
        this.#requests = meter.createCounter('ebb.client.requests', {
            unit: '{request}',
            description: 'Requests that have ended.',
        });
        this.#attempts = meter.createCounter('ebb.client.attempts', {
            unit: '{attempt}',
            description: 'Attempts whose outcome is known.',
        });
        this.#retries = meter.createCounter('ebb.client.retries', {
            unit: '{retry}',
            description: 'Retries that were sent.',
        });
        this.#marks = meter.createCounter('ebb.client.marks', {
            unit: '{attempt}',
            description: 'Attempts that were sent although the bucket had no tokens for them.',
        });
        this.#backoff = meter.createHistogram('ebb.client.backoff.duration', {
            ...wait,
            description: 'The delay before a retry that was sent.',
        });
        this.#throttle = meter.createHistogram('ebb.client.throttle.duration', {
            ...wait,
            description: 'The wait of an attempt for its tokens, or for its slot.',
        });
    }
    /** @param attributes those of the request */
    count(event, attributes) {
        const pending = this.#pendingOf(event.request);
        switch (event.type) {
            case 'throttle':
                this.#recordThrottle(event, attributes);
                break;
            case 'mark':
                this.#marks.add(1, attributes);
                break;
            case 'attempt':
                pending.open = true;
                this.#countRetry(pending, attributes);
                break;
            case 'retry':
                this.#countAttempt(pending, event.outcome, attributes);
                pending.planned = event;
                break;
            case 'end':
                this.#pending.delete(event.request);
                if (event.outcome !== undefined)
                    this.#countAttempt(pending, event.outcome, attributes);
                this.#requests.add(1, { ...attributes, 'ebb.stop.reason': event.reason });
        }
    }
    #recordThrottle({ waitMs, slotMs }, attributes) {
        const waits = { slot: slotMs, tokens: waitMs - slotMs };
        for (const [what, ms] of Object.entries(waits)) {
            if (ms > 0)
                this.#throttle.record(ms / 1000, { ...attributes, 'ebb.throttle.for': what });
        }
    }
    #pendingOf(request) {
        let pending = this.#pending.get(request);
        if (pending === undefined) {
            pending = { open: false, planned: undefined };
            this.#pending.set(request, pending);
        }
        return pending;
    }
    /** A retry counts when it is sent: a limit may still refuse one that was planned. */
    #countRetry(pending, attributes) {
        const { planned } = pending;
        if (planned === undefined)
            return;
        pending.planned = undefined;
        const reasoned = { ...attributes, 'ebb.retry.reason': planned.reason };
        this.#retries.add(1, reasoned);
        this.#backoff.record(planned.delayMs / 1000, reasoned);
    }
    /** The outcome of an attempt is reported twice if its retry was refused. */
    #countAttempt(pending, outcome, of) {
        if (!pending.open)
            return;
        pending.open = false;
        this.#attempts.add(1, { ...of, ...(0, http_attributes_ts_1.outcomeAttributes)(outcome) });
    }
}
exports.RequestMetrics = RequestMetrics;
//# sourceMappingURL=metrics.js.map