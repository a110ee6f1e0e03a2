"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) {
    return (mod && mod.__esModule) ? mod : { "default": mod };
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.policy = void 0;
const node_process_1 = __importDefault(require("node:process"));
const core_1 = require("@ebb/core");
const fault_ts_1 = require("./register/fault.js");
const find_ts_1 = require("./register/find.js");
const install_ts_1 = require("./register/install.js");
const load_ts_1 = require("./register/load.js");
/** Shared by all copies of this package: a program that loads two, as with `import` and `require`, has one policy. */
const REGISTERED = Symbol.for('@ebb/undici register');
/** @throws Error if `EBB` is neither `on` nor `off` */
function isOff(value) {
    if (value === 'off')
        return true;
    // Someone who sets EBB=0 or EBB=false expects something.
    if (value && value !== 'on')
        throw (0, fault_ts_1.fault)(`EBB must be on or off, got ${JSON.stringify(value)}`);
    return false;
}
function register() {
    const holder = globalThis;
    if (holder[REGISTERED] !== undefined)
        return holder[REGISTERED];
    const { env } = node_process_1.default;
    if (isOff(env.EBB))
        return undefined;
    const path = (0, find_ts_1.findConfig)(node_process_1.default.cwd(), env.EBB_CONFIG);
    const made = path === undefined ? (0, core_1.createPolicy)() : (0, load_ts_1.loadPolicy)(path);
    (0, install_ts_1.install)(made);
    holder[REGISTERED] = made;
    return made;
}
/**
 * The policy on the global dispatcher; `undefined` with `EBB=off`. This module puts it there when it is loaded, for
 * undici and for Node's fetch: `node --import @ebb/undici/register app.js`.
 *
 * The options are those of `ebb.config.ts`, `.js` or `.json`, from the working directory up to the nearest package.json, or
 * of the file that `EBB_CONFIG` names. Without a config it is a policy with all defaults.
 *
 * Loading throws an Error, which ends the process, if the config is wrong, if `EBB_CONFIG` names no config, and if undici
 * does not fit.
 *
 * @example
 * ```ts
 * import { policy } from '@ebb/undici/register';
 *
 * console.log(policy?.maxRetries);
 * ```
 */
exports.policy = register();
//# sourceMappingURL=register.js.map