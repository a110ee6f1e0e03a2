"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.peekAt = peekAt;
const adapter_1 = require("@ebb/core/adapter");
/**
 * Opens a clone of a response, so that the response keeps its body. `undefined` for a response without a body, and for a
 * mock that cannot be cloned.
 */
function peekAt(response) {
    const reader = readerOf(response);
    if (reader === undefined)
        return undefined;
    return {
        read: async () => {
            const { done, value } = await reader.read();
            return done ? undefined : value;
        },
        stop: () => void reader.cancel().catch(() => undefined),
    };
}
function readerOf(response) {
    try {
        if (typeof response.clone !== 'function' || !response.body)
            return undefined;
        const { body } = response.clone();
        return (0, adapter_1.isWebReadable)(body) ? body.getReader() : undefined;
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=peek.js.map