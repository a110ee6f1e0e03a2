"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.insideOf = insideOf;
exports.createPolicy = createPolicy;
exports.overridePolicy = overridePolicy;
const options_ts_1 = require("../base/options.js");
const own_clock_ts_1 = require("../base/own-clock.js");
const classify_ts_1 = require("../http/classify.js");
const bind_clock_ts_1 = require("../limits/bind-clock.js");
const options_ts_2 = require("./options.js");
const part_ts_1 = require("./part.js");
/** Options without which nothing has to be made before an attempt. */
const PREPARED = [
    'attemptTimeoutMs',
    'totalTimeoutMs',
    'stopSignal',
    'idempotencyKey',
    'beforeAttempt',
    'aroundAttempt',
    'onEvent',
];
/**
 * Marks a policy, and holds what its fields do not show. All copies of this package in a program share this symbol, so
 * that each recognises the policies of the others.
 */
const POLICY = Symbol.for('@ebb/core policy');
/** @returns the parts of a policy, and what follows from them */
function insideOf(policy) {
    return policy[POLICY];
}
/** The parts that the options bring, in the order of their places. */
function partsOf({ bucket, concurrency, budget, inspect, use }) {
    const brought = [concurrency, bucket, inspect, budget].map((one) => one?.part);
    const parts = [...brought, ...(use ?? [])].filter((part) => part !== undefined);
    return parts.sort((one, other) => part_ts_1.PLACES.indexOf(one.place) - part_ts_1.PLACES.indexOf(other.place));
}
function isPlain(policy, parts) {
    return (parts.length === 0 &&
        policy.classify === classify_ts_1.classifyHttp &&
        PREPARED.every((name) => policy[name] === undefined));
}
function isPolicy(value) {
    return POLICY in value;
}
/** A list of methods is copied: changing it later must not change the policy. */
function frozenMethods(methods) {
    if (typeof methods === 'string' || typeof methods === 'function')
        return methods;
    return Object.freeze(methods.map((method) => method.toUpperCase()));
}
function seal(setup, maxRetries) {
    const clock = (0, own_clock_ts_1.ownClock)(setup.clock);
    for (const limit of [setup.bucket, setup.concurrency, setup.budget])
        (0, bind_clock_ts_1.bindClock)(limit, clock);
    const policy = {
        ...setup,
        maxRetries: maxRetries ?? (0, options_ts_2.defaultRetries)(setup),
        clock,
        methods: frozenMethods(setup.methods),
    };
    const parts = partsOf(setup);
    const admit = parts.find((part) => part.admit !== undefined)?.admit;
    const inside = { maxRetries, parts, admit, isPlain: isPlain(setup, parts) };
    // Not enumerable: a copy with changes is not a policy yet, and is validated when it becomes one.
    Object.defineProperty(policy, POLICY, { value: inside });
    return Object.freeze(policy);
}
/**
 * Decides whether and when a request is sent, and sent again. After a 429 or 5xx ebb retries up to five times by default,
 * waiting 1, 2, 4 … s plus up to 1 s of jitter, never less than `Retry-After`.
 *
 * Clients that are given the same policy share its bucket, its concurrency limit and its budget. A policy in place of
 * options is returned as it is.
 *
 * @throws TypeError for an unknown option or a value of the wrong type, and for a limit that has taken the clock of another policy
 * @throws RangeError for a wrong value
 * @example
 * ```ts
 * import { createPolicy, retryBudget, tokenBucket } from '@ebb/core';
 *
 * const policy = createPolicy({
 *   maxRetries: 3,
 *   totalTimeoutMs: 30_000,
 *   bucket: tokenBucket({ refillPerSecond: 50 }),
 *   budget: retryBudget(),
 * });
 * ```
 */
function createPolicy(options = {}) {
    if (typeof options === 'object' && options !== null && isPolicy(options))
        return options;
    const setup = (0, options_ts_1.readOptions)('createPolicy', options, options_ts_2.POLICY_OPTIONS);
    return seal(setup, options.maxRetries);
}
/**
 * The policy with some options changed, for one request. The other options are those of the policy.
 *
 * @throws TypeError, RangeError as {@link createPolicy}
 */
function overridePolicy(policy, options) {
    const changes = (0, options_ts_1.readChanges)('ebb', options, options_ts_2.POLICY_OPTIONS);
    const { maxRetries = insideOf(policy).maxRetries } = changes;
    return seal({ ...policy, ...changes }, maxRetries);
}
//# sourceMappingURL=policy.js.map