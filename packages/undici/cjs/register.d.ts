import { type Policy } from '@ebb/core';
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
export declare const policy: Policy | undefined;
//# sourceMappingURL=register.d.ts.map