"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.channelsOf = channelsOf;
/** Not imported: browsers have no such module, and bundlers fail on its name. */
const makeChannel = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')?.channel;
/** Channels by their names, which all copies of this package in a program share. */
function channelsOf(names) {
    if (makeChannel === undefined)
        return undefined;
    return Object.fromEntries(names.map((name) => [name, makeChannel(`ebb:${name}`)]));
}
//# sourceMappingURL=channels.js.map