"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.HookError = exports.ThrottledError = void 0;
exports.callHook = callHook;
/**
 * Makes `instanceof` recognise the errors of every copy of this package in a program. There are two copies when one part
 * of a program requires the package and another imports it.
 */
function recogniseOtherCopies(kind, name) {
    const mark = Symbol.for(`@ebb/core ${name}`);
    const isOfThisCopy = Function.prototype[Symbol.hasInstance];
    Object.defineProperty(kind.prototype, mark, { value: true });
    Object.defineProperty(kind, Symbol.hasInstance, {
        value(value) {
            // Inherited by subclasses, which must recognise their own instances only.
            if (this !== kind)
                return isOfThisCopy.call(this, value);
            return typeof value === 'object' && value !== null && mark in value;
        },
    });
}
/** The request was not sent, because it could not get its tokens or its slot within its limits. */
class ThrottledError extends Error {
    static {
        recogniseOtherCopies(ThrottledError, 'ThrottledError');
    }
    name = 'ThrottledError';
    /** How long the tokens would have taken, in milliseconds; `undefined` if that is not known. */
    waitMs;
    reason;
    constructor(message, waitMs, 
    // Not `ErrorOptions`, which the library of ES2021 does not have.
    options = {}) {
        super(message, options);
        this.waitMs = waitMs;
        this.reason = options.reason ?? 'not-conforming';
    }
}
exports.ThrottledError = ThrottledError;
/** A function of the policy, such as `cost` or `classify`, threw or returned an invalid value. `cause` is the error. */
class HookError extends Error {
    static {
        recogniseOtherCopies(HookError, 'HookError');
    }
    name = 'HookError';
    /** The option that the function was given as. */
    hook;
    constructor(hook, cause) {
        super(`${hook} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
        this.hook = hook;
    }
}
exports.HookError = HookError;
/**
 * Calls a function that the user wrote.
 *
 * @param hook the option that the function was given as
 * @throws HookError if the function throws
 */
function callHook(hook, call) {
    try {
        return call();
    }
    catch (cause) {
        throw new HookError(hook, cause);
    }
}
//# sourceMappingURL=errors.js.map