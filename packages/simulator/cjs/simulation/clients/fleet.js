"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.fleetOf = fleetOf;
const core_1 = require("@ebb/core");
const named_options_ts_1 = require("../../scenario/named-options.js");
const client_buckets_ts_1 = require("./client-buckets.js");
const fleet_budget_ts_1 = require("./fleet-budget.js");
/** The clients of a scenario. They share one policy unless each has its own budget. */
function fleetOf(scenario, environment) {
    const { clients, policy = {} } = scenario;
    const { count } = clients;
    if (typeof policy === 'function')
        return customFleet(count, policy, environment);
    const { budget, bucket, cost = 1, maxWaitMs = Number.POSITIVE_INFINITY } = policy;
    const { maxRetries, methods, maxRetryAfterMs, attemptTimeoutMs, totalTimeoutMs } = policy;
    const options = {
        ...{ maxRetries, methods, maxRetryAfterMs, attemptTimeoutMs, totalTimeoutMs, cost },
        ...environment,
        backoff: (0, named_options_ts_1.backoffOf)(policy, environment),
        classify: (0, named_options_ts_1.classifyOf)(policy),
    };
    const shared = sharedBudget(count, budget, environment);
    return {
        policyOf: policiesOf(count, options, budget, shared, environment),
        shared,
        buckets: bucket && (0, client_buckets_ts_1.clientBuckets)(bucket, count, environment),
        cost,
        maxWaitMs,
        custom: undefined,
    };
}
const NO_BUDGET = (0, core_1.ownBudget)({
    balance: Number.POSITIVE_INFINITY,
    deposit() { },
    withdraw: () => true,
});
/**
 * One policy for all clients, because a million policies would take a gigabyte. If clients have their own budgets, the
 * policy uses that of the client for which it was returned last.
 */
function policiesOf(count, options, budget, shared, environment) {
    if (budget === false) {
        const unlimited = (0, core_1.createPolicy)({ ...options, budget: NO_BUDGET });
        return () => unlimited;
    }
    if (budget === undefined) {
        const shared = (0, core_1.createPolicy)(options);
        if (shared.budget === undefined)
            return () => shared;
        const own = Array.from({ length: count }, () => (0, core_1.createPolicy)(options));
        return (client) => own[client];
    }
    let current = 0;
    const budgetOf = shared?.of ?? ownBudgets(count, budget, environment);
    // The simulation asks for the budget itself, and has no calls that a part could take part in.
    const ofCurrent = {
        size: count,
        for: () => budgetOf(current),
        part: NO_BUDGET.part,
    };
    const policy = (0, core_1.createPolicy)({ ...options, budget: ofCurrent });
    return (client) => {
        current = client;
        return policy;
    };
}
function ownBudgets(count, budget, environment) {
    const budgets = new Array(count);
    return (client) => {
        budgets[client] ??= (0, named_options_ts_1.makeBudget)(budget, environment);
        return budgets[client];
    };
}
function sharedBudget(count, budget, environment) {
    if (typeof budget !== 'object' || !('valkeyBudget' in budget))
        return undefined;
    const fleet = new fleet_budget_ts_1.FleetBudget(budget.valkeyBudget, count, environment);
    const parts = new Array(count);
    const of = (client) => {
        parts[client] ??= fleet.of(client);
        return parts[client];
    };
    return { of, begin: (client) => of(client).begin(), end: (client) => of(client).end() };
}
function customFleet(count, factory, environment) {
    const custom = Array.from({ length: count }, () => factory(environment));
    const policies = custom.map(({ policy }) => (0, core_1.createPolicy)({ ...policy, ...environment }));
    return {
        policyOf: (client) => policies[client],
        buckets: undefined,
        cost: 1,
        maxWaitMs: Number.POSITIVE_INFINITY,
        custom,
    };
}
//# sourceMappingURL=fleet.js.map