"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.refusingPort = refusingPort;
exports.refusingUrl = refusingUrl;
const node_ts_1 = require("./node.js");
/** Kept open for as long as the process runs. */
let client;
let port;
async function hold() {
    const { createServer, connect } = (0, node_ts_1.nodeModule)('node:net');
    const server = createServer((socket) => socket.unref());
    client = connect(await (0, node_ts_1.listening)(server), '127.0.0.1');
    const connected = client;
    await new Promise((resolve) => connected.once('connect', resolve));
    server.unref();
    connected.unref();
    return connected.localPort;
}
/**
 * A port on 127.0.0.1 that refuses connections: the client's port of an open connection. The port of a closed server
 * would not do, since another test or program may soon listen on it.
 */
function refusingPort() {
    port ??= hold();
    return port;
}
/** The URL of that port. */
async function refusingUrl() {
    return `http://127.0.0.1:${await refusingPort()}/`;
}
//# sourceMappingURL=refusing.js.map