"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.makeBody = makeBody;
const core_1 = require("@ebb/core");
const adapter_1 = require("@ebb/core/adapter");
const kinds_ts_1 = require("./kinds.js");
/**
 * Calls a body factory.
 *
 * @throws HookError if the factory throws
 */
async function makeBody(factory) {
    let body;
    try {
        body = await factory();
    }
    catch (cause) {
        throw new core_1.HookError('body', cause);
    }
    if ((0, adapter_1.isWebReadable)(body) && !body.locked)
        return closable(body);
    return {
        body,
        isOnce: (0, kinds_ts_1.isOnce)(body),
        get isOpen() {
            if ((0, adapter_1.isNodeReadable)(body))
                return !body.destroyed && !body.readableEnded;
            return (0, kinds_ts_1.isOnce)(body);
        },
        close: () => (0, kinds_ts_1.cancelUpload)(body),
    };
}
/** Reads a web stream through another one. The base fetch locks the outer stream; the source can still be cancelled. */
function closable(source) {
    const reader = source.getReader();
    let isOpen = true;
    const close = (reason) => {
        isOpen = false;
        return reader.cancel(reason);
    };
    const body = new ReadableStream({
        async pull(controller) {
            const part = await reader.read();
            if (!part.done)
                return controller.enqueue(part.value);
            isOpen = false;
            controller.close();
        },
        cancel: close,
    }, { highWaterMark: 0 });
    return {
        body,
        isOnce: true,
        get isOpen() {
            return isOpen;
        },
        close: () => void close().catch(() => undefined),
    };
}
//# sourceMappingURL=body-factory.js.map