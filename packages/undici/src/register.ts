import process from 'node:process';
import type { Policy } from '@ebb/core';
import { createPolicy, mustTrust } from '@ebb/core/adapter';
import { fault, findConfig, loadPolicy } from './register/config.ts';
import { install } from './register/install.ts';

/** Shared by all copies of this package: a program that loads two, as with `import` and `require`, has one policy. */
const REGISTERED: unique symbol = Symbol.for('@ebb/undici register');

/** @throws Error if `EBB` is neither `on` nor `off` */
function isOff(value: string | undefined): boolean {
  if (value === 'off') return true;
  // Someone who sets EBB=0 or EBB=false expects something.
  if (value && value !== 'on') throw fault(`EBB must be on or off, got ${JSON.stringify(value)}`);
  return false;
}

function register(): Policy | undefined {
  const holder = globalThis as { [REGISTERED]?: Policy };
  if (holder[REGISTERED] !== undefined) return holder[REGISTERED];
  const { env } = process;
  if (isOff(env.EBB)) return undefined;
  const path = findConfig(process.cwd(), env.EBB_CONFIG);
  const made = path === undefined ? createPolicy() : loadPolicy(path);
  mustTrust('@ebb/undici/register', made);
  install(made);
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
export const policy: Policy | undefined = register();
