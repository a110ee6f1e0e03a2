"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.copyInto = copyInto;
/** Copies a smaller array to the front of a larger one, and returns the larger one. */
function copyInto(larger, smaller) {
    larger.set(smaller);
    return larger;
}
//# sourceMappingURL=typed-array.js.map