"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) {
    return (mod && mod.__esModule) ? mod : { "default": mod };
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.loadUndici = loadUndici;
const node_module_1 = require("node:module");
const node_process_1 = __importDefault(require("node:process"));
const fault_ts_1 = require("./fault.js");
/**
 * From this file on. It is built twice: an ES module has no `__filename`, and CommonJS no `import.meta`. `getCallSites` of
 * `node:util` would be simpler, and Node 20 has none.
 */
function requireFromHere() {
    const { prepareStackTrace, stackTraceLimit } = Error;
    Error.stackTraceLimit = 1;
    Error.prepareStackTrace = (_, [site]) => site?.getFileName();
    const here = new Error().stack;
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
    return (0, node_module_1.createRequire)(String(here));
}
/**
 * The installed undici. It is not imported, because undici sets its own global dispatcher when it is loaded, which must not
 * happen with `EBB=off`.
 *
 * @throws Error if it is missing, is no undici 7 or 8, does not run on this Node, or is the one of Bun
 */
function loadUndici() {
    const require = requireFromHere();
    let version;
    try {
        version = require('undici/package.json').version;
    }
    catch (cause) {
        throw (0, fault_ts_1.fault)('undici 7 or 8 is needed beside @ebb/undici: npm install undici', cause);
    }
    if (!/^[78]\./.test(version))
        throw (0, fault_ts_1.fault)(`undici 7 or 8 is needed, and ${version} is installed`);
    let undici;
    try {
        undici = require('undici');
    }
    catch (cause) {
        throw (0, fault_ts_1.fault)(`undici ${version} does not run on Node ${node_process_1.default.version}`, cause);
    }
    // Whatever is installed, Bun gives its own.
    if (typeof undici.Dispatcher.prototype.compose !== 'function') {
        throw (0, fault_ts_1.fault)('the undici that Bun has built in has no interceptors; use @ebb/fetch');
    }
    return undici;
}
//# sourceMappingURL=undici.js.map