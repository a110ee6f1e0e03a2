"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.PLACES = void 0;
/**
 * Where a part stands in a call. Whatever the order in which a user names parts, they are asked in this one: an attempt that
 * must wait for a slot has not drawn tokens, and what is likely to be refused is asked first.
 */
exports.PLACES = [
    'throttle',
    'slot',
    'origin',
    'tokens',
    'headers',
    'layers',
    'reading',
    'watching',
];
//# sourceMappingURL=part.js.map