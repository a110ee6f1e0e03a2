"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) {
    return (mod && mod.__esModule) ? mod : { "default": mod };
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.loadPolicy = loadPolicy;
const node_process_1 = __importDefault(require("node:process"));
const node_util_1 = require("node:util");
const core_1 = require("@ebb/core");
const fault_ts_1 = require("./fault.js");
const require_config_ts_1 = require("./require-config.js");
function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}
/** What V8 says of an ES module that is loaded as CommonJS. */
const MODULE_SYNTAX = /^Cannot use import statement outside|^Unexpected token 'export'|^Cannot use 'import\.meta' outside|^await is only valid in/;
/** Why a config could not be loaded, with what to do about it. */
function reasonOf(path, error) {
    if (error?.code === 'ERR_REQUIRE_ASYNC_MODULE') {
        return 'it uses top-level await, and is loaded synchronously';
    }
    const [, name = '', kind = '', t = ''] = /([^/\\]+)\.([cm]?)(t|j)s$/.exec(path) ?? [];
    if (t === 't' && !node_process_1.default.features.typescript) {
        return `Node ${node_process_1.default.version} does not run TypeScript; use Node 22.18 or later, or a config in JavaScript, ${name}.mjs`;
    }
    // Also of a file that it imports: only the file itself is known to be the fault.
    const isOwn = error instanceof SyntaxError && error.stack?.startsWith(`${path}:`) === true;
    if (isOwn && kind !== 'm' && MODULE_SYNTAX.test(error.message)) {
        const why = kind === 'c' ? `a .c${t}s file` : 'with "type": "commonjs" in package.json it';
        return `${why} is CommonJS, and it has the syntax of an ES module; call it ${name}.m${t}s (${error.message})`;
    }
    return messageOf(error);
}
function load(path) {
    try {
        return (0, require_config_ts_1.requireConfig)(path);
    }
    catch (cause) {
        throw (0, fault_ts_1.fault)(`${path} cannot be loaded: ${reasonOf(path, cause)}`, cause);
    }
}
/** @throws Error for an ES module without a default export */
function defaultOf(path, loaded) {
    const isModule = node_util_1.types.isModuleNamespaceObject(loaded) || loaded?.__esModule === true;
    if (!isModule)
        return loaded;
    if (loaded.default === undefined)
        throw (0, fault_ts_1.fault)(`${path} has no default export`);
    return loaded.default;
}
/** @throws Error if the function throws, and for a promise */
function made(path, value) {
    if (typeof value !== 'function')
        return value;
    let result;
    try {
        result = value();
    }
    catch (cause) {
        throw (0, fault_ts_1.fault)(`${path}: its function threw: ${messageOf(cause)}`, cause);
    }
    if (node_util_1.types.isPromise(result)) {
        // What becomes of it does not matter any more.
        result.catch(() => undefined);
        throw (0, fault_ts_1.fault)(`${path}: its function returns a promise, and must return options or a policy`);
    }
    return result;
}
/**
 * The policy of a config, which exports options, a policy, or a function that returns one of them.
 *
 * @throws Error with the path, and for a wrong option with its name. The cause is the error of the file or of
 *   `createPolicy`
 */
function loadPolicy(path) {
    const options = made(path, defaultOf(path, load(path)));
    if (options === undefined)
        throw (0, fault_ts_1.fault)(`${path}: its function returns undefined`);
    try {
        return (0, core_1.createPolicy)(options);
    }
    catch (cause) {
        throw (0, fault_ts_1.fault)(`${path}: ${messageOf(cause)}`, cause);
    }
}
//# sourceMappingURL=load.js.map