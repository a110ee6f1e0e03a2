"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.NO_LAYERS = exports.LAYER = void 0;
/** The key of the {@link Passage} in the options of a client, the same for all copies of this package in a program. */
exports.LAYER = Symbol.for('@ebb/core layer');
/** The surroundings of a request without any layer or call around it. */
exports.NO_LAYERS = { outer: undefined, slotsOf: [] };
//# sourceMappingURL=layer.js.map