"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.oneOf = exports.share = exports.flag = exports.capacity = exports.refillRate = exports.notNegative = exports.positive = exports.whole = exports.counting = exports.ScenarioError = void 0;
exports.wrong = wrong;
exports.checkAt = checkAt;
exports.checkOptionsAt = checkOptionsAt;
exports.fields = fields;
exports.isObject = isObject;
exports.listOf = listOf;
exports.joined = joined;
const bucket_1 = require("@ebb/core/bucket");
/** A scenario that cannot be run. The message begins with the path of the wrong field. */
class ScenarioError extends Error {
    name = 'ScenarioError';
}
exports.ScenarioError = ScenarioError;
function show(value) {
    if (typeof value === 'function')
        return 'a function';
    if (Array.isArray(value))
        return 'a list';
    if (typeof value === 'object' && value !== null)
        return 'an object';
    return value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
}
/** The error for a wrong value. `takes` follows "must be". */
function wrong(path, takes, value) {
    return new ScenarioError(`${path} must be ${takes}, got ${show(value)}`);
}
function unknownField(path, parent, takes) {
    return new ScenarioError(`${path} is not a field; ${parent} takes ${takes}`);
}
/** Calls a function of core that takes the value of a field. Its option errors become errors of that field. */
function checkAt(path, call) {
    try {
        call();
    }
    catch (error) {
        throw bucket_1.check.isOptionError(error) ? wrong(path, error.takes, error.given) : error;
    }
}
/** Calls a function of core whose options are the fields of an object. Its option errors become errors of those fields. */
function checkOptionsAt(path, call) {
    try {
        call();
    }
    catch (error) {
        if (!bucket_1.check.isOptionError(error))
            throw error;
        const { option, takes, given, unknown } = error;
        const field = option.split('.').reduce(joined, path);
        throw unknown ? unknownField(field, path, takes) : wrong(field, takes, given);
    }
}
function ofCore(check) {
    return (path, value) => checkAt(path, () => check(path, value));
}
exports.counting = ofCore(bucket_1.check.countingNumber);
exports.whole = ofCore(bucket_1.check.wholeNumber);
exports.positive = ofCore(bucket_1.check.positive);
exports.notNegative = ofCore(bucket_1.check.notNegative);
exports.refillRate = ofCore(bucket_1.check.refillRate);
exports.capacity = ofCore(bucket_1.check.capacity);
exports.flag = ofCore(bucket_1.check.flag);
const share = (path, value) => {
    if (!(typeof value === 'number' && value >= 0 && value <= 1))
        throw wrong(path, 'a number from 0 to 1', value);
};
exports.share = share;
const oneOf = (...words) => ofCore(bucket_1.check.oneOf(...words));
exports.oneOf = oneOf;
/** An object with these fields. Those whose name begins with `?` are optional. */
function fields(checks) {
    const table = new Map(Object.entries(checks).map(([name, check]) => [
        name.replace('?', ''),
        { check, optional: name.startsWith('?') },
    ]));
    return (path, value) => {
        const parent = path || 'a scenario';
        if (!isObject(value))
            throw wrong(parent, 'an object', value);
        for (const name of Object.keys(value)) {
            if (!table.has(name))
                throw unknownField(joined(path, name), parent, [...table.keys()].join(', '));
        }
        for (const [name, { check, optional }] of table) {
            if (value[name] !== undefined || !optional)
                check(joined(path, name), value[name]);
        }
    };
}
/** An object that is no list. */
function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
/** A list whose elements pass a check. */
function listOf(check) {
    return (path, value) => {
        if (!Array.isArray(value))
            throw wrong(path, 'a list', value);
        for (const [at, element] of value.entries())
            check(`${path}[${at}]`, element);
    };
}
/** The path of a field: `policy.maxRetries`, or `policies["full jitter"]` for a name that is no identifier. */
function joined(path, name) {
    if (!/^[\w$]+$/.test(name))
        return `${path}[${JSON.stringify(name)}]`;
    return path === '' ? name : `${path}.${name}`;
}
//# sourceMappingURL=check.js.map