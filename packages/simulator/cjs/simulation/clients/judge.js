"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Judge = void 0;
const adapter_1 = require("@ebb/core/adapter");
const outcomes_ts_1 = require("../outcomes.js");
const REQUEST = {
    method: 'GET',
    url: 'https://service.example/',
    replayable: true,
    header: () => undefined,
};
/** One object for all decisions: there are millions of them. */
class ReusedProgress {
    request = REQUEST;
    attempt = 0;
    startedAtMs = 0;
    previousBackoffMs = undefined;
    budget = undefined;
    permit() {
        return this.budget?.withdraw() === false ? 'budget-exhausted' : undefined;
    }
}
/** Passes outcomes to the clients' buckets and policies, and returns what core decides. */
class Judge {
    #fleet;
    #requests;
    #measures;
    #progress = new ReusedProgress();
    constructor(fleet, requests, measures) {
        this.#fleet = fleet;
        this.#requests = requests;
        this.#measures = measures;
    }
    judge(request, outcome, nowMs) {
        const requests = this.#requests;
        const fleet = this.#fleet;
        const client = requests.client(request);
        const met = outcomes_ts_1.OUTCOMES[outcome];
        this.#count(outcome);
        if (fleet.buckets !== undefined) {
            const grantedAtMs = requests.grantedAtMs(request);
            fleet.buckets.tokens.observe(client, met, grantedAtMs, grantedAtMs - requests.sinceMs(request));
        }
        const progress = this.#progress;
        progress.attempt = requests.attempt(request);
        fleet.custom?.[client]?.onOutcome?.(met, progress.attempt);
        progress.startedAtMs = requests.startedAtMs(request);
        progress.previousBackoffMs = requests.previousBackoffMs(request);
        const policy = fleet.policyOf(client);
        progress.budget = policy.budget && (0, adapter_1.forRequest)(policy.budget, REQUEST, policy.key);
        const decision = (0, adapter_1.decide)(policy, progress, met, nowMs);
        if (decision.reason === 'success')
            progress.budget?.deposit();
        return decision;
    }
    #count(outcome) {
        const { series } = this.#measures;
        if (outcome === outcomes_ts_1.OK)
            return;
        if (outcome === outcomes_ts_1.UNAVAILABLE)
            this.#measures.count(series.unavailable);
        else if (outcome === outcomes_ts_1.TIMED_OUT)
            this.#measures.count(series.timeouts);
        else if (outcome === outcomes_ts_1.REFUSED || outcome === outcomes_ts_1.RESET)
            this.#measures.count(series.refused);
        else if (outcome >= outcomes_ts_1.FIRST_TOO_MANY)
            this.#measures.count(series.throttled429);
    }
}
exports.Judge = Judge;
//# sourceMappingURL=judge.js.map