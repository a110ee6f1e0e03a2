"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.checkShared = checkShared;
/** Whether axios clones such a value when it merges configs: an object without a class, a tag or an iterator. */
function isCloned(value) {
    if (typeof value !== 'object' || value === null)
        return false;
    const prototype = Object.getPrototypeOf(value);
    const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
    return isPlain && !Object.hasOwn(value, Symbol.toStringTag) && !Object.hasOwn(value, Symbol.iterator);
}
/**
 * Rejects a bucket, limit or budget that axios has cloned into the config of a request. A clone has state of its
 * own, so each request would silently get a full bucket. A clock has no state.
 *
 * @throws TypeError that names the option
 */
function checkShared(options) {
    for (const [name, value] of Object.entries(options)) {
        if (name !== 'clock' && isCloned(value)) {
            throw new TypeError(`ebb: ${name} must be an instance of a class, got a plain object, which axios copies for each request`);
        }
    }
}
//# sourceMappingURL=check-copies.js.map