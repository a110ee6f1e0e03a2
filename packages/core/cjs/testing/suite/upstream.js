"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.upstreamsOf = upstreamsOf;
const refusing_ts_1 = require("./refusing.js");
const server_ts_1 = require("./server.js");
/** A scripted server on loopback. */
const overSockets = async (script, onHang) => {
    if (script === 'refused')
        return idle(await (0, refusing_ts_1.refusingUrl)());
    const server = await (0, server_ts_1.scriptedServer)(script);
    if (onHang !== undefined)
        server.onHang = onHang;
    return server;
};
function idle(url) {
    return { url, seen: [], connections: () => 0, close: async () => undefined };
}
function responseOf(step) {
    if (typeof step !== 'object')
        return Response.error();
    const headers = new Headers();
    for (const [name, values] of Object.entries(step.headers ?? {}))
        for (const value of [values].flat())
            headers.append(name, value);
    const body = step.status === 204 ? null : (step.body ?? '');
    return new Response(body, { status: step.status, headers });
}
/** The same by a mock. */
const mocked = (mock) => async (script) => {
    const seen = [];
    const respond = async (request) => {
        const step = script[Math.min(seen.length, script.length - 1)];
        const { pathname, search } = new URL(request.url);
        const headers = Object.fromEntries(request.headers);
        seen.push({ method: request.method, path: pathname + search, headers, body: await request.text() });
        return responseOf(step);
    };
    const { url, close } = await mock(respond);
    return { url, seen, connections: () => 0, close: async () => void (await close?.()) };
};
/** How the rows of an adapter are answered. */
function upstreamsOf({ upstream, mock }) {
    return upstream ?? (mock === undefined ? overSockets : mocked(mock));
}
//# sourceMappingURL=upstream.js.map