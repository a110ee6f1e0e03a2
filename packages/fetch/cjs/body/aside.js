"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.setAside = setAside;
const adapter_1 = require("@ebb/core/adapter");
/** Members that give access to the body of a response; the last two belong to node-fetch. */
const READERS = [
    'json',
    'text',
    'arrayBuffer',
    'blob',
    'bytes',
    'formData',
    'buffer',
    'textConverted',
];
/** Cancels the body of a response; reading it then fails with an error that says so. */
function discard(response, withinMs) {
    const error = new Error(`the body of this ${response.status} was discarded for a retry, which was then not sent: ` +
        `only a body of up to ${adapter_1.MOST_DISCARDED_BYTES} bytes that arrives within ${Math.round(withinMs)} ms is kept`);
    const { body } = response;
    const isWeb = (0, adapter_1.isWebReadable)(body);
    if (isWeb && !body.locked)
        body.cancel(error).catch(() => undefined);
    const members = {
        clone: {
            value: () => {
                throw error;
            },
        },
    };
    for (const name of READERS) {
        if (name in response)
            members[name] = { value: () => Promise.reject(error) };
    }
    if (isWeb)
        members.body = { get: () => new ReadableStream({ start: (controller) => controller.error(error) }) };
    Reflect.ownKeys(members).every((name) => Reflect.defineProperty(response, name, members[name] ?? {}));
    if ((0, adapter_1.isNodeReadable)(body)) {
        // An error without a listener would end the process.
        body.on('error', () => undefined);
        body.destroy?.(error);
    }
}
/** A clone to read, so that the response keeps its body; `undefined` for a mock that cannot be cloned. */
function cloneOf(response) {
    try {
        return typeof response.clone === 'function' ? response.clone() : undefined;
    }
    catch {
        return undefined;
    }
}
/**
 * Reads a response that is followed by a retry to its end, within bounds. Does nothing for an error, which has no body. If the
 * retry may not be sent, a clone is read, so that the response can still become the result.
 */
function setAside(settled, session, signal) {
    if (typeof settled !== 'object' || settled === null || settled instanceof Error)
        return undefined;
    const response = settled;
    const { body } = response;
    if (!(0, adapter_1.isWebReadable)(body) && !(0, adapter_1.isNodeReadable)(body))
        return undefined;
    const { discardMs, policy } = session;
    const copy = session.keepsAnswer && !signal?.aborted ? cloneOf(response) : undefined;
    const contentLength = (0, adapter_1.responseHeader)(response.headers, 'content-length');
    const read = (0, adapter_1.readToEnd)((copy ?? response).body, contentLength, policy.clock, signal, discardMs);
    let isRestored = false;
    const aside = {
        isLost: copy === undefined,
        released: read.then((isWhole) => {
            if (copy === undefined || isWhole || isRestored)
                return;
            aside.isLost = true;
            discard(response, discardMs);
        }),
        restore: () => {
            isRestored = true;
            return response;
        },
    };
    return aside;
}
//# sourceMappingURL=aside.js.map