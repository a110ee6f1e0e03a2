"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.recordConnectErrors = recordConnectErrors;
exports.failedToConnectTo = failedToConnectTo;
const adapter_1 = require("@ebb/core/adapter");
const node_ts_1 = require("./node.js");
/** The origin of each failed connection, by its error. */
const origins = new WeakMap();
let isSubscribed = false;
/** Starts to record the origins of failed connections of Node's fetch. Costs nothing until one fails. */
function recordConnectErrors() {
    if (isSubscribed)
        return;
    isSubscribed = true;
    if (node_ts_1.nodeProcess?.versions?.undici === undefined)
        return;
    const channels = node_ts_1.nodeProcess.getBuiltinModule?.('node:diagnostics_channel');
    channels?.subscribe('undici:client:connectError', (message) => {
        const { connectParams, error } = message;
        const origin = URL.parse(`${connectParams?.protocol}//${connectParams?.host}`)?.origin;
        if (typeof error === 'object' && error !== null && origin !== undefined)
            origins.set(error, origin);
    });
}
/**
 * True if fetch failed because it could not connect to the origin of `url`. Then nothing of the attempt was sent: after
 * a redirect from that origin a connection to it would exist. The exception is a server that redirects to itself, closes
 * the connection and refuses the next: its attempt gets a token back although the server counted it.
 */
function failedToConnectTo(error, url) {
    const cause = (0, adapter_1.property)(error, 'cause');
    const origin = typeof cause === 'object' && cause !== null ? origins.get(cause) : undefined;
    return origin !== undefined && origin === URL.parse(url)?.origin;
}
//# sourceMappingURL=connect-errors.js.map