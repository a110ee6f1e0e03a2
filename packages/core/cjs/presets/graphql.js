"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isQuery = isQuery;
exports.repeatsQueries = repeatsQueries;
const property_ts_1 = require("../base/property.js");
const body_ts_1 = require("../http/body.js");
const classify_ts_1 = require("../http/classify.js");
const body_ts_2 = require("./body.js");
const graphql_document_ts_1 = require("./graphql-document.js");
const path_ts_1 = require("./path.js");
/** The body as the client was given it, or as it has serialised it: JSON as text or bytes, or an object. */
function jsonIn(body) {
    if (typeof body === 'string')
        return (0, body_ts_2.parsed)(body.replace(/^\uFEFF/, ''));
    if ((0, body_ts_1.bufferBytes)(body) === undefined)
        return body;
    try {
        // It skips a byte order mark.
        return (0, body_ts_2.parsed)(new TextDecoder().decode(body));
    }
    catch {
        return undefined;
    }
}
/** True if the operation that one request asks for is a query. */
function asksQuery(request) {
    const document = (0, property_ts_1.property)(request, 'query');
    if (typeof document !== 'string')
        return false;
    const operations = (0, graphql_document_ts_1.operationsOf)(document);
    const chosen = (0, property_ts_1.property)(request, 'operationName') ?? '';
    // Without a name there must be one operation alone. A name that occurs twice does not tell which.
    const matching = chosen === '' ? operations : operations.filter(({ name }) => name === chosen);
    return matching.length === 1 && matching[0]?.kind === 'query';
}
/**
 * True if the body of a request to a GraphQL server only reads: a query, or a batch of queries. False if that is not certain,
 * as with a document that only the server knows (a persisted one).
 */
function isQuery(body) {
    const value = jsonIn(body);
    return Array.isArray(value) ? value.length > 0 && value.every(asksQuery) : asksQuery(value);
}
/**
 * The requests that may be repeated: those that are idempotent or have a key, and queries.
 *
 * @param endOfPath what the path of the GraphQL server ends with
 */
function repeatsQueries(endOfPath) {
    return (request) => (0, classify_ts_1.isRepeatable)(request) || ((0, path_ts_1.pathOf)(request.url).endsWith(endOfPath) && isQuery(request.body));
}
//# sourceMappingURL=graphql.js.map