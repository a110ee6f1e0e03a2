"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.callObserver = callObserver;
const promise_ts_1 = require("./promise.js");
const property_ts_1 = require("./property.js");
const warn_ts_1 = require("./warn.js");
/** Observers that have failed. Only the first failure of each is reported. */
const reported = new WeakSet();
function report(name, observer, cause) {
    if (reported.has(observer))
        return;
    reported.add(observer);
    const message = (0, property_ts_1.property)(cause, 'message');
    const text = typeof message === 'string' ? message : `it threw ${typeof cause}`;
    (0, warn_ts_1.warn)(`${name} failed, and is ignored: ${text}`, cause);
}
/**
 * Calls an observer. An error that it throws, or rejects with, is reported once and changes nothing.
 *
 * @param name the option that the observer was given as
 */
function callObserver(name, observer, event) {
    try {
        const result = observer(event);
        if ((0, promise_ts_1.isPromise)(result))
            result.then(undefined, (cause) => report(name, observer, cause));
    }
    catch (cause) {
        report(name, observer, cause);
    }
}
//# sourceMappingURL=call-observer.js.map