"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.RANDOM_OPTION = exports.LIMIT_CLOCK_OPTION = exports.CLOCK_OPTION = void 0;
exports.readOptions = readOptions;
exports.readChanges = readChanges;
const check_ts_1 = require("./check.js");
const clock_ts_1 = require("./clock.js");
const option_error_ts_1 = require("./option-error.js");
const own_clock_ts_1 = require("./own-clock.js");
const promise_ts_1 = require("./promise.js");
/** A list or a promise has no names that could be wrong, and would count as no options: silently the defaults. */
function mayHaveOptions(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !(0, promise_ts_1.isPromise)(value);
}
/** @throws TypeError if `options` is not an object, and for an unknown option */
function checkNames(caller, options, table) {
    if (!mayHaveOptions(options)) {
        throw (0, option_error_ts_1.wrongType)(caller.includes(': ') ? caller : `${caller}: options`, 'an object', options);
    }
    for (const [option, value] of Object.entries(options)) {
        if (Object.hasOwn(table, option))
            continue;
        throw (0, option_error_ts_1.unknownOption)(caller, option, value, Object.keys(table).join(', '));
    }
}
/**
 * Validates options, and returns them with all defaults applied. An option that is `undefined` counts as not given.
 *
 * @param caller the name of the function in error messages
 * @throws TypeError for options that are no object, an unknown option, or a value of the wrong type
 * @throws RangeError for a wrong value
 */
function readOptions(caller, options, table) {
    checkNames(caller, options, table);
    const rows = Object.entries(table);
    const read = {};
    for (const [option, row] of rows) {
        const value = options[option];
        if (value !== undefined || row.required)
            row.check((0, option_error_ts_1.nameOf)(caller, option), value);
        read[option] = value === undefined ? row.default : value;
    }
    for (const [option, { defaultOf }] of rows) {
        if (read[option] === undefined)
            read[option] = defaultOf?.(read);
    }
    return read;
}
/**
 * Validates options that change a complete set, and returns those that are given.
 *
 * @throws TypeError, RangeError as {@link readOptions}
 */
function readChanges(caller, options, table) {
    checkNames(caller, options, table);
    const changes = {};
    for (const [name, value] of Object.entries(options)) {
        if (value === undefined)
            continue;
        const option = name;
        table[option].check((0, option_error_ts_1.nameOf)(caller, name), value);
        changes[option] = value;
    }
    return changes;
}
/** The `clock` of an options object. */
exports.CLOCK_OPTION = {
    check: (0, check_ts_1.having)('a clock', 'now', 'schedule'),
    default: clock_ts_1.systemClock,
};
/** The `clock` of a limit. One that is given none takes the clock of its policy. */
exports.LIMIT_CLOCK_OPTION = {
    check: exports.CLOCK_OPTION.check,
    default: own_clock_ts_1.unboundClock,
};
/** The `random` of an options object. */
exports.RANDOM_OPTION = {
    check: check_ts_1.callable,
    default: clock_ts_1.systemRandom,
};
//# sourceMappingURL=options.js.map