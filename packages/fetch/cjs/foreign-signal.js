"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isRefusedByRuntime = isRefusedByRuntime;
/** True if the runtime's own fetch rejects a request with this signal: it then has to get the signal itself. */
function isRefusedByRuntime(signal) {
    try {
        new Request('https://ebb.invalid/', { signal });
        return false;
    }
    catch {
        return true;
    }
}
//# sourceMappingURL=foreign-signal.js.map