"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.peekAt = peekAt;
const adapter_1 = require("@ebb/core/adapter");
const response_ts_1 = require("../response.js");
/**
 * Opens the body of the response in what an adapter settled with. The adapters of axios have read a body that is not
 * streamed, but not parsed it: `transformResponse` runs after the last attempt. A custom adapter may have.
 *
 * @param mostBytes a longer body need not be passed on whole
 * @returns `undefined` for a response without a body, or with a body that has neither text nor bytes, such as a form
 */
function peekAt(settled, mostBytes) {
    const response = (0, response_ts_1.responseIn)(settled);
    const data = response?.data;
    if (response === undefined || data === undefined || data === null || data === '')
        return undefined;
    const replace = (copy) => {
        response.data = copy;
    };
    if ((0, adapter_1.isNodeReadable)(data))
        return adapter_1.NodePeek.at(data, replace);
    if ((0, adapter_1.isWebReadable)(data)) {
        if (data.locked)
            return undefined;
        const [look, rest] = data.tee();
        replace(rest);
        return (0, adapter_1.peekAtWeb)(look);
    }
    // One more byte tells that there is more. No character has less than one byte for each unit.
    const end = mostBytes + 1;
    if (typeof data === 'string')
        return (0, adapter_1.peekAtPart)(() => (0, adapter_1.bytesOf)(data.slice(0, end)));
    if ((0, adapter_1.bufferBytes)(data) !== undefined)
        return (0, adapter_1.peekAtPart)(() => (0, adapter_1.bytesOf)(data).subarray(0, end));
    const tag = Object.prototype.toString.call(data);
    if (tag === '[object Blob]' || tag === '[object File]') {
        return (0, adapter_1.peekAtPart)(async () => new Uint8Array(await data.slice(0, end).arrayBuffer()));
    }
    const isParsed = typeof data !== 'object' || tag === '[object Object]' || tag === '[object Array]';
    return isParsed ? { ...(0, adapter_1.peekAtPart)(() => new Uint8Array()), parsed: { value: data } } : undefined;
}
//# sourceMappingURL=peek.js.map