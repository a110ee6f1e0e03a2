"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.otherRetriesOf = otherRetriesOf;
const warn_ts_1 = require("../base/warn.js");
/**
 * The header, the values that prove a retry above, and what sends it. The SDKs made by Stainless send a count of 0 even if
 * they never retry.
 *
 * Source: the SDKs of OpenAI, Anthropic and Cloudflare; AWS SDKs, "Retry behavior"; gRFC A6.
 */
const MARKS = [
    ['x-stainless-retry-count', /^[1-9]/, 'the SDK of OpenAI, Anthropic or Cloudflare'],
    ['amz-sdk-request', /max=([2-9]|\d\d)/, 'the AWS SDK'],
    ['grpc-previous-rpc-attempts', /^[1-9]/, 'a gRPC client'],
];
/** The library that retries a request as well, with a warning once for each; `undefined` if none shows. */
function otherRetriesOf(request) {
    for (const [header, proof, library] of MARKS) {
        if (!proof.test(request.header(header) ?? ''))
            continue;
        warnOnce({ header, library });
        return { header, library };
    }
    return undefined;
}
const warned = new Set();
function warnOnce({ header, library }) {
    if (warned.has(library))
        return;
    warned.add(library);
    (0, warn_ts_1.warn)(`${library} retries the same requests as ebb, as ${header} shows: turn its retries off, or the attempts multiply`);
}
//# sourceMappingURL=other-retries.js.map