"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.fault = fault;
/** An error that ends the process at its start, and so names the module that threw it. */
function fault(message, cause) {
    return new Error(`@ebb/undici/register: ${message}`, cause === undefined ? undefined : { cause });
}
//# sourceMappingURL=fault.js.map