"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.CLASSIFIERS = exports.BACKOFFS = void 0;
exports.backoffOf = backoffOf;
exports.classifyOf = classifyOf;
exports.makeBucket = makeBucket;
exports.makeBudget = makeBudget;
const core_1 = require("@ebb/core");
exports.BACKOFFS = {
    memorystore: core_1.memorystore,
    exponential: core_1.exponential,
    fullJitter: core_1.fullJitter,
    equalJitter: core_1.equalJitter,
    decorrelatedJitter: core_1.decorrelatedJitter,
    constant: core_1.constant,
    celery: core_1.celery,
    binaryExponential: core_1.binaryExponential,
    connectRetry: core_1.connectRetry,
};
const BUCKETS = {
    tokenBucket: (given, environment) => (0, core_1.tokenBucket)({ ...given, ...environment }),
    adaptive: (given, environment) => (0, core_1.adaptive)({ ...given, ...environment }),
};
const BUDGETS = {
    retryBudget: (given, environment) => (0, core_1.retryBudget)({ ...given, ...environment }),
};
exports.CLASSIFIERS = { classifyHttp: core_1.classifyHttp, classifyHttpByMeaning: core_1.classifyHttpByMeaning };
/** Calls the function that `{ name: options }` names. The scenario has been checked before. */
function make(makers, named, environment) {
    const [name = '', given] = Object.entries(named)[0] ?? [];
    const maker = makers[name];
    if (maker === undefined)
        throw new TypeError(`${name} must be one of ${Object.keys(makers).join(', ')}`);
    return maker(given, environment);
}
/** The backoff rule of a policy; `undefined` for the default of `createPolicy`. */
function backoffOf({ backoff }, environment) {
    return typeof backoff === 'object' ? make(exports.BACKOFFS, backoff, environment) : backoff;
}
/** The classifier of a policy; `undefined` for the default of `createPolicy`. */
function classifyOf({ classify }) {
    return typeof classify === 'string' ? exports.CLASSIFIERS[classify] : classify;
}
/** A bucket for one client. */
function makeBucket(bucket, environment) {
    return make(BUCKETS, bucket, environment);
}
/** A budget for one client. */
function makeBudget(budget, environment) {
    return typeof budget === 'function' ? budget(environment) : make(BUDGETS, budget, environment);
}
//# sourceMappingURL=named-options.js.map