"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.unshared = exports.sharesResponses = exports.hasAsyncContext = exports.failedToConnectTo = exports.recordConnectErrors = exports.Hops = exports.whenBodyEnds = void 0;
/** A body is watched by a concurrency limit alone, which brings what it needs. */
exports.whenBodyEnds = undefined;
exports.Hops = undefined;
exports.recordConnectErrors = undefined;
exports.failedToConnectTo = undefined;
exports.hasAsyncContext = false;
exports.sharesResponses = undefined;
exports.unshared = undefined;
//# sourceMappingURL=web.js.map