"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isOptionError = isOptionError;
exports.wrongType = wrongType;
exports.wrongRange = wrongRange;
exports.nameOf = nameOf;
exports.unknownOption = unknownOption;
const promise_ts_1 = require("./promise.js");
/** A URL in a place where none belongs, such as that of a store's client, may have a password. */
function withoutCredentials(text) {
    // Up to the last @: a password that was not encoded may have any character.
    return text.replace(/\/\/.*@/s, '//…@');
}
function show(value) {
    if (typeof value === 'string')
        return JSON.stringify(withoutCredentials(value));
    if (typeof value === 'function')
        return 'a function';
    if (Array.isArray(value))
        return 'an array';
    if ((0, promise_ts_1.isPromise)(value))
        return 'a promise';
    if (typeof value === 'object' && value !== null)
        return 'an object';
    return String(value);
}
/** True for the error of a wrong option, from any copy of this package. */
function isOptionError(error) {
    return error instanceof Error && 'option' in error && 'takes' in error && 'given' in error;
}
/** A name is `caller: option`, or `option` alone. */
function optionOf(name) {
    return name.slice(name.indexOf(': ') + 1).trimStart();
}
function withFault(error, name, takes, given, unknown = false) {
    Object.defineProperty(error, 'given', { value: given });
    return Object.assign(error, { option: optionOf(name), takes, unknown });
}
function message(name, takes, given) {
    return `${name} must be ${takes}, got ${show(given)}`;
}
/** The error for a value of the wrong type. `name` is `caller: option`; `takes` follows "must be". */
function wrongType(name, takes, value) {
    // A promise where none belongs is reported here. Its rejection, which no one awaits, would end the process.
    if (value instanceof Promise)
        value.catch(() => undefined);
    return withFault(new TypeError(message(name, takes, value)), name, takes, value);
}
/** The error for a value of the right type that is not allowed. `name` is `caller: option`; `takes` follows "must be". */
function wrongRange(name, takes, value) {
    return withFault(new RangeError(message(name, takes, value)), name, takes, value);
}
/** The name of an option in messages: `createPolicy: bucket`, and one level down `valkeyBucket: lease.aheadMs`. */
function nameOf(caller, option) {
    return caller.includes(': ') ? `${caller}.${option}` : `${caller}: ${option}`;
}
/** The error for an option that does not exist. `known` are the names that do. */
function unknownOption(caller, option, value, known) {
    const text = `${caller} has no option ${show(option)}; it takes ${known}`;
    return withFault(new TypeError(text), nameOf(caller, option), known, value, true);
}
//# sourceMappingURL=option-error.js.map