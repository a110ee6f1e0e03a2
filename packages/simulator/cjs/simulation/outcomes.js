"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.OUTCOMES = exports.FIRST_TOO_MANY = exports.TIMED_OUT = exports.RESET = exports.REFUSED = exports.UNAVAILABLE = exports.OK = void 0;
exports.tooMany = tooMany;
/** The outcomes of an attempt, as numbers, so that an answer on its way is a number. */
exports.OK = 0;
exports.UNAVAILABLE = 1;
/** The connection was refused, so the server did nothing. */
exports.REFUSED = 2;
/** The connection broke, perhaps after the server had acted. */
exports.RESET = 3;
exports.TIMED_OUT = 4;
exports.FIRST_TOO_MANY = 5;
/** The longest Retry-After of a simulated server. */
const MOST_SECONDS = 100;
/** A 429, with Retry-After if it is defined. */
function tooMany(retryAfterSeconds) {
    return retryAfterSeconds === undefined
        ? exports.FIRST_TOO_MANY
        : exports.FIRST_TOO_MANY + 1 + Math.min(retryAfterSeconds, MOST_SECONDS);
}
function response(status, retryAfter) {
    return { type: 'response', status, header: (name) => (name === 'retry-after' ? retryAfter : undefined) };
}
function failure(kind) {
    return { type: 'failure', kind, error: undefined };
}
/** The outcomes as core knows them. */
exports.OUTCOMES = [
    response(200),
    response(503),
    failure('connect'),
    failure('network'),
    failure('timeout'),
    response(429),
    ...Array.from({ length: MOST_SECONDS + 1 }, (_, seconds) => response(429, String(seconds))),
];
//# sourceMappingURL=outcomes.js.map