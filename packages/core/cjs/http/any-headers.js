"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.headerIn = headerIn;
/** Names and values of headers in an object, a map, pairs, or a list in which names and values alternate. */
function entriesOf(headers) {
    const isIterable = typeof headers[Symbol.iterator] === 'function';
    if (!isIterable)
        return Object.entries(headers);
    const items = [...headers];
    if (items.every(Array.isArray))
        return items;
    return items.flatMap((name, at) => (at % 2 === 0 ? [[name, items[at + 1]]] : []));
}
/** A value as text; several values of one name are joined with commas. */
function textOf(value) {
    if (typeof value === 'string' || typeof value === 'number')
        return String(value);
    return Array.isArray(value) ? joined(value) : undefined;
}
function joined(values) {
    const texts = values.map(textOf).filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : texts.join(', ');
}
/** The lookup that an object such as `Headers` has; `undefined` if it does not know the name, or throws. */
function lookedUp(headers, name) {
    try {
        const { get } = headers;
        return typeof get === 'function' ? textOf(get.call(headers, name)) : undefined;
    }
    catch {
        return undefined;
    }
}
/**
 * A header by its lower-case name, in any form in which libraries keep headers, in any case. Never throws: a defect of an
 * error must not replace the error.
 */
function headerIn(headers, name) {
    if (typeof headers !== 'object' || headers === null)
        return undefined;
    const found = lookedUp(headers, name);
    if (found !== undefined)
        return found;
    try {
        const values = entriesOf(headers).filter(([key]) => String(key).toLowerCase() === name);
        return joined(values.map(([, value]) => value));
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=any-headers.js.map