"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.warn = warn;
const property_ts_1 = require("./property.js");
/**
 * An error's name, message and stack. Its other fields may hold secrets, as the `config` of axios's errors does, and no one
 * looks at what a warning carries before it is logged.
 */
function withoutFields(cause) {
    if (!(cause instanceof Error))
        return undefined;
    const read = (name) => String((0, property_ts_1.property)(cause, name) ?? '');
    return Object.assign(new Error(read('message')), { name: read('name'), stack: read('stack') });
}
/** Warns as Node does if possible, since `reportError` ends the process in Deno. */
function warn(text, cause) {
    const { process, reportError } = globalThis;
    const warning = new Error(text, cause === undefined ? undefined : { cause: withoutFields(cause) });
    warning.name = 'EbbWarning';
    if (typeof process?.emitWarning === 'function')
        process.emitWarning(warning);
    else if (typeof reportError === 'function')
        reportError(warning);
}
//# sourceMappingURL=warn.js.map