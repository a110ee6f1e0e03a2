"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.POLICY_OPTIONS = void 0;
exports.defaultRetries = defaultRetries;
const check_ts_1 = require("../base/check.js");
const options_ts_1 = require("../base/options.js");
const classify_ts_1 = require("../http/classify.js");
const server_feedback_ts_1 = require("../http/server-feedback.js");
const memorystore_ts_1 = require("./backoff/memorystore.js");
const part_ts_1 = require("./part.js");
const checkMethods = (name, value) => {
    const takes = "'idempotent', 'all', a list of methods, or a function";
    if (typeof value === 'function')
        return;
    if (typeof value === 'string') {
        if (value !== 'idempotent' && value !== 'all')
            throw (0, check_ts_1.wrongRange)(name, takes, value);
    }
    else if (!Array.isArray(value) || !value.every((method) => typeof method === 'string')) {
        throw (0, check_ts_1.wrongType)(name, takes, value);
    }
};
const checkIdempotencyKey = (name, value) => {
    if (value !== true && typeof value !== 'function')
        throw (0, check_ts_1.wrongType)(name, 'true or a function', value);
};
const checkCost = (name, value) => {
    if (typeof value !== 'function')
        (0, check_ts_1.positive)(name, value);
};
/** Limits bring their code: one of the user's own has to be made one. */
function bringing(takes) {
    return (name, value) => {
        const { part } = (value ?? {});
        if (typeof part?.begin !== 'function')
            throw (0, check_ts_1.wrongType)(name, takes, value);
    };
}
const checkUse = (name, value) => {
    if (!Array.isArray(value))
        throw (0, check_ts_1.wrongType)(name, 'a list of parts', value);
    for (const [index, part] of value.entries()) {
        (0, check_ts_1.having)('a part', 'begin')(`${name}[${index}]`, part);
        (0, check_ts_1.oneOf)(...part_ts_1.PLACES)(`${name}[${index}].place`, part.place);
    }
};
const checkBackoff = (name, value) => {
    (0, check_ts_1.callable)(name, value);
    const { maxRetries } = value;
    if (maxRetries !== undefined)
        (0, check_ts_1.wholeNumber)(`${name}.maxRetries`, maxRetries);
};
const checkKey = (name, value) => {
    if (typeof value !== 'string')
        throw (0, check_ts_1.wrongType)(name, 'a string', value);
};
/** If neither the options nor the backoff rule have a number. */
const DEFAULT_RETRIES = 5;
/** The retries of a policy without `maxRetries`. */
function defaultRetries({ backoff }) {
    return backoff.maxRetries ?? DEFAULT_RETRIES;
}
/** How the options of a policy are read. */
exports.POLICY_OPTIONS = {
    maxRetries: { check: check_ts_1.wholeNumber, defaultOf: defaultRetries },
    backoff: { check: checkBackoff, default: (0, memorystore_ts_1.memorystore)() },
    classify: { check: check_ts_1.callable, default: classify_ts_1.classifyHttp },
    feedback: { check: server_feedback_ts_1.checkFeedback, default: server_feedback_ts_1.serverFeedback },
    inspect: { check: bringing('what inspectBody returns') },
    idempotencyKey: { check: checkIdempotencyKey },
    beforeAttempt: { check: check_ts_1.callable },
    aroundAttempt: { check: check_ts_1.callable },
    methods: { check: checkMethods, default: 'idempotent' },
    maxRetryAfterMs: { check: check_ts_1.notNegative, default: 600_000 },
    attemptTimeoutMs: { check: check_ts_1.positive },
    totalTimeoutMs: { check: check_ts_1.notNegative },
    bucket: { check: bringing('a token bucket, or ownBucket(…)') },
    concurrency: { check: bringing('a concurrency limit, or ownLimit(…)') },
    budget: { check: bringing('a retry budget, or ownBudget(…)') },
    use: { check: checkUse },
    cost: { check: checkCost, default: 1 },
    priority: { check: check_ts_1.checkPriority, default: 0 },
    key: { check: checkKey },
    maxWaitMs: { check: check_ts_1.notNegative },
    stopSignal: { check: (0, check_ts_1.having)('an AbortSignal', 'addEventListener', 'removeEventListener') },
    onEvent: { check: check_ts_1.callable },
    clock: options_ts_1.CLOCK_OPTION,
    random: options_ts_1.RANDOM_OPTION,
};
//# sourceMappingURL=options.js.map