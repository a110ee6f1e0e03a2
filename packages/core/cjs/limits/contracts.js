"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.forRequest = forRequest;
/** The bucket, limit or budget of a request, if there may be one per key. */
function forRequest(one, request, key) {
    return 'for' in one ? one.for(request, key) : one;
}
//# sourceMappingURL=contracts.js.map