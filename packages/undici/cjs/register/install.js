"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) {
    return (mod && mod.__esModule) ? mod : { "default": mod };
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.install = install;
const node_process_1 = __importDefault(require("node:process"));
const interceptor_ts_1 = require("../interceptor.js");
const undici_ts_1 = require("./undici.js");
/**
 * Where a `fetch` or an undici looks for the global dispatcher: those of undici 6 and 7 in the first, those of undici 8 in the
 * second. The oldest 7 and 8 set only their own.
 */
const SLOTS = [
    Symbol.for('undici.globalDispatcher.1'),
    Symbol.for('undici.globalDispatcher.2'),
];
const holder = globalThis;
/** True if Node sends its own requests through the proxy of `HTTP_PROXY` and `HTTPS_PROXY`. */
function usesEnvProxy({ env, execArgv }) {
    const flag = '--use-env-proxy';
    const isGiven = execArgv.includes(flag) || (env.NODE_OPTIONS ?? '').split(/\s+/).includes(flag);
    return isGiven || env.NODE_USE_ENV_PROXY === '1';
}
/** The dispatcher to put the policy on. */
function baseOf({ Agent, Dispatcher, EnvHttpProxyAgent, getGlobalDispatcher }) {
    // The dispatcher that Node sets for it is of Node's own undici, and undici 8 replaces it when it is loaded.
    if (usesEnvProxy(node_process_1.default))
        return new EnvHttpProxyAgent();
    const current = getGlobalDispatcher();
    // The default of Node's own undici, if its fetch was used before. In Node 22 that is one of undici 6, which does not fit.
    const isForeign = !(current instanceof Dispatcher);
    if (isForeign && current.constructor.name === 'Agent')
        return new Agent();
    return current;
}
/**
 * Puts the policy on the global dispatcher, for undici and for Node's fetch. fetch is not wrapped: its requests pass
 * through the dispatcher, and one layer must retry them, not two.
 */
function install(policy) {
    const undici = (0, undici_ts_1.loadUndici)();
    const dispatcher = baseOf(undici).compose((0, interceptor_ts_1.ebbInterceptor)(policy));
    const before = SLOTS.map((slot) => holder[slot]);
    undici.setGlobalDispatcher(dispatcher);
    SLOTS.forEach((slot, at) => {
        // A newer undici has put the dispatcher there, or one that adapts it.
        if (holder[slot] !== before[at])
            return;
        Object.defineProperty(globalThis, slot, { value: dispatcher, writable: true });
    });
}
//# sourceMappingURL=install.js.map