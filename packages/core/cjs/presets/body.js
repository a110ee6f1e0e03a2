"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.at = at;
exports.textAt = textAt;
exports.listAt = listAt;
exports.parsed = parsed;
exports.isEventStream = isEventStream;
exports.hasType = hasType;
const property_ts_1 = require("../base/property.js");
/** A value in parsed JSON, by the names on the way to it; `undefined` if there is none. */
function at(json, ...names) {
    return names.reduce(property_ts_1.property, json);
}
/** As {@link at}, for a text. */
function textAt(json, ...names) {
    const value = at(json, ...names);
    return typeof value === 'string' ? value : undefined;
}
/** As {@link at}, for a list; empty if there is none. */
function listAt(json, ...names) {
    const value = at(json, ...names);
    return Array.isArray(value) ? value : [];
}
/** The value of a JSON text; `undefined` if it is none. */
function parsed(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
/** True for a response that is streamed as events. */
function isEventStream(response) {
    return hasType(response, 'text/event-stream');
}
/** True if the content type of a response contains a word, such as `json`. */
function hasType(response, word) {
    return response.header('content-type')?.toLowerCase().includes(word) === true;
}
//# sourceMappingURL=body.js.map