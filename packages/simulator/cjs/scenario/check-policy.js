"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.checkPolicy = void 0;
const core_1 = require("@ebb/core");
const bucket_1 = require("@ebb/core/bucket");
const check_ts_1 = require("./check.js");
const named_options_ts_1 = require("./named-options.js");
/** Options of `createPolicy` that a scenario gives by name. */
const NAMED = ['backoff', 'classify', 'bucket', 'budget'];
/** Options of `createPolicy` that a scenario gives as they are. */
const PLAIN = [
    'maxRetries',
    'methods',
    'maxRetryAfterMs',
    'attemptTimeoutMs',
    'totalTimeoutMs',
    'maxWaitMs',
    'cost',
];
const FIELDS = [...PLAIN, ...NAMED];
const NOT_SIMULATED = ['concurrency', 'priority', 'key', 'onEvent', 'clock', 'random'];
const NOT_SIMULATED_OF_BUCKETS = ['furtherLimits', 'overflow', 'clock', 'random'];
/** An object with the name of one function and its options: `{ "fullJitter": { … } }`. */
function naming(makers) {
    const takes = `an object that names one of ${Object.keys(makers).join(', ')}`;
    return (path, value) => {
        if (!(0, check_ts_1.isObject)(value))
            throw (0, check_ts_1.wrong)(path, takes, value);
        const names = Object.keys(value);
        const [name = ''] = names;
        const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
        if (names.length !== 1 || make === undefined) {
            const given = names.map((each) => JSON.stringify(each)).join(', ') || 'an empty object';
            throw new check_ts_1.ScenarioError(`${path} must be ${takes}, got ${given}`);
        }
        const options = value[name];
        // `constant` takes a number instead of options.
        const checkMade = typeof options === 'object' ? check_ts_1.checkOptionsAt : check_ts_1.checkAt;
        checkMade((0, check_ts_1.joined)(path, name), () => make(options));
    };
}
/** The store's part is a budget of core. The other two options are of the simulation. */
function valkeyBudget({ aheadMs = 100, roundTripMs = 2, ...budget }) {
    (0, core_1.retryBudget)(budget);
    bucket_1.check.positive('aheadMs', aheadMs);
    bucket_1.check.notNegative('roundTripMs', roundTripMs);
}
const checkBackoff = naming(named_options_ts_1.BACKOFFS);
const checkBucket = naming({ tokenBucket: core_1.tokenBucket, adaptive: core_1.adaptive });
const checkBudget = naming({ retryBudget: core_1.retryBudget, valkeyBudget });
function checkSimulated(path, { bucket, cost = 1 }) {
    if (bucket === undefined)
        return;
    const [name, options] = 'adaptive' in bucket ? ['adaptive', bucket.adaptive] : ['tokenBucket', bucket.tokenBucket];
    for (const field of NOT_SIMULATED_OF_BUCKETS) {
        if (options[field] === undefined)
            continue;
        throw new check_ts_1.ScenarioError(`${path}.bucket.${name}.${field} is not simulated`);
    }
    const { refillPerSecond, capacity } = options;
    const most = (0, core_1.tokenBucket)({ refillPerSecond, capacity }).stats().capacity;
    if (cost > most)
        throw (0, check_ts_1.wrong)(`${path}.cost`, `at most the capacity of the bucket, ${most}`, cost);
}
/** @throws ScenarioError for a policy that cannot be simulated */
const checkPolicy = (path, value) => {
    if (typeof value === 'function')
        return;
    if (!(0, check_ts_1.isObject)(value))
        throw (0, check_ts_1.wrong)(path, 'an object with options of createPolicy', value);
    for (const name of Object.keys(value)) {
        if (NOT_SIMULATED.includes(name))
            throw new check_ts_1.ScenarioError(`${(0, check_ts_1.joined)(path, name)} is not simulated`);
        if (FIELDS.includes(name))
            continue;
        throw new check_ts_1.ScenarioError(`${(0, check_ts_1.joined)(path, name)} is not a field; ${path} takes ${FIELDS.join(', ')}`);
    }
    const { backoff, classify, bucket, budget, ...plain } = value;
    const ownBackoff = typeof backoff === 'function' ? backoff : undefined;
    (0, check_ts_1.checkOptionsAt)(path, () => (0, core_1.createPolicy)({ ...plain, backoff: ownBackoff }));
    if (typeof plain.cost === 'function')
        throw (0, check_ts_1.wrong)(`${path}.cost`, 'a number', plain.cost);
    if (backoff !== undefined && ownBackoff === undefined)
        checkBackoff(`${path}.backoff`, backoff);
    if (classify !== undefined && typeof classify !== 'function' && !Object.hasOwn(named_options_ts_1.CLASSIFIERS, classify)) {
        throw (0, check_ts_1.wrong)(`${path}.classify`, Object.keys(named_options_ts_1.CLASSIFIERS).join(' or '), classify);
    }
    if (bucket !== undefined)
        checkBucket(`${path}.bucket`, bucket);
    if (budget !== undefined && budget !== false && typeof budget !== 'function') {
        checkBudget(`${path}.budget`, budget);
    }
    checkSimulated(path, value);
};
exports.checkPolicy = checkPolicy;
//# sourceMappingURL=check-policy.js.map