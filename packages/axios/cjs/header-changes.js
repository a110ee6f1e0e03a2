"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.copyWith = copyWith;
exports.changed = changed;
/** Headers of the same class, which may be another copy's, with these values. */
function copyWith(headers, values) {
    return Object.assign(Object.create(Object.getPrototypeOf(headers)), values);
}
/** A copy of the headers with the changes of an attempt. Adapters write into it too: the original stays as it is. */
function changed(headers, changes) {
    const copy = copyWith(headers, headers);
    for (const [name, value] of Object.entries(changes)) {
        if (value === undefined)
            copy.delete(name);
        else
            copy.set(name, value, true);
    }
    return copy;
}
//# sourceMappingURL=header-changes.js.map