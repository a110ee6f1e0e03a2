"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isPromise = isPromise;
/** True for a promise, of any library. */
function isPromise(value) {
    return typeof value?.then === 'function';
}
//# sourceMappingURL=promise.js.map