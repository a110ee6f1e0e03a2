"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.property = property;
exports.hasProperty = hasProperty;
/**
 * A property of an unknown value; `undefined` if reading it throws. Some runtimes reject with errors whose getters throw,
 * and a `Proxy` may do anything. Such a defect must not replace the error itself.
 */
function property(of, name) {
    if ((typeof of !== 'object' && typeof of !== 'function') || of === null)
        return undefined;
    try {
        return of[name];
    }
    catch {
        return undefined;
    }
}
/** True if an unknown object has a property; false if looking for it throws. */
function hasProperty(of, name) {
    try {
        return name in of;
    }
    catch {
        return false;
    }
}
//# sourceMappingURL=property.js.map