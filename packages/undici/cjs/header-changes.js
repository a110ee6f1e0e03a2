"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.changedHeaders = changedHeaders;
const headers_ts_1 = require("./headers.js");
function changesByName(changes) {
    const byName = new Map();
    // Of two spellings of a name the later holds.
    for (const [name, value] of Object.entries(changes)) {
        byName.set(name.toLowerCase(), value === undefined ? undefined : [name, value]);
    }
    return byName;
}
/** The headers that are set. */
function added(changes) {
    return [...changes.values()].filter((pair) => pair !== undefined);
}
/** @param entries names and values alternate */
function changedList(entries, changes) {
    // By pairs of positions: undici has an error of its own for a name without a value.
    const kept = entries.filter((_, at) => !changes.has(String(entries[at - (at % 2)]).toLowerCase()));
    return [...kept, ...added(changes).flat()];
}
function changedPairs(pairs, changes) {
    const isKept = (pair) => !Array.isArray(pair) || !changes.has(String(pair[0]).toLowerCase());
    return [...pairs.filter(isKept), ...added(changes)];
}
function changedRecord(headers, changes) {
    const kept = Object.entries(headers).filter(([name]) => !changes.has(name.toLowerCase()));
    return Object.fromEntries([...kept, ...added(changes)]);
}
/**
 * Request headers with changes, in the form in which they came. Invalid ones stay as they are: undici refuses them.
 *
 * @param headers must be readable more than once
 */
function changedHeaders(headers, made) {
    const changes = changesByName(made);
    return changed(headers, changes);
}
function changed(headers, changes) {
    if (headers === undefined || headers === null)
        return changedRecord({}, changes);
    if (typeof headers !== 'object')
        return headers;
    if (Array.isArray(headers)) {
        return Array.isArray(headers[0]) ? changedPairs(headers, changes) : changedList(headers, changes);
    }
    if (!(Symbol.iterator in headers))
        return changedRecord(headers, changes);
    return new headers_ts_1.HeadersCopy(changedPairs([...headers], changes));
}
//# sourceMappingURL=header-changes.js.map