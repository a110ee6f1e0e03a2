"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.readPerKey = readPerKey;
const check_ts_1 = require("../base/check.js");
const options_ts_1 = require("../base/options.js");
const origin_ts_1 = require("../http/origin.js");
const PER_KEY_OPTIONS = {
    keyOf: { check: check_ts_1.callable, default: origin_ts_1.originOf },
    maxKeys: { check: check_ts_1.countingNumber, default: 10_000 },
    idleMs: { check: check_ts_1.notNegative, default: 60_000 },
    clock: options_ts_1.LIMIT_CLOCK_OPTION,
};
/**
 * Reads the arguments of a function that makes a limit per key.
 *
 * @param table the options of one limit
 * @param makerOf validates such options, and returns a function that makes a limit with them
 * @throws TypeError, RangeError for a wrong option
 */
function readPerKey(caller, [first, second, third], table, makerOf) {
    const hasKeyOf = third !== undefined ||
        typeof second === 'function' ||
        (typeof first !== 'object' && isOptionsOf(table, second));
    if (hasKeyOf)
        (0, check_ts_1.callable)(`${caller}: keyOf`, first);
    const make = (hasKeyOf ? second : first);
    const options = ((hasKeyOf ? third : second) ?? {});
    // What all keys share may bring the clock of both.
    const { clock } = make;
    const timed = clock === undefined || options.clock !== undefined ? options : { ...options, clock };
    return {
        make: typeof make === 'function' ? make : makerOf(make),
        setup: (0, options_ts_1.readOptions)(caller, hasKeyOf ? { ...timed, keyOf: first } : timed, PER_KEY_OPTIONS),
    };
}
/** True for the options of one limit: all that are required, and none that only {@link PerKeyOptions} has. */
function isOptionsOf(table, value) {
    if (typeof value !== 'object' || value === null)
        return false;
    const rows = Object.entries(table);
    return (rows.every(([name, { required }]) => !required || name in value) &&
        Object.keys(PER_KEY_OPTIONS).every((name) => name in table || !(name in value)));
}
//# sourceMappingURL=per-key-options.js.map