import { createRequire } from 'node:module';
import process from 'node:process';
import type { Policy } from '@ebb/core';
import { createPolicy, mustTrust } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { ebbInterceptor } from './index.ts';
import { fault, findConfig, loadPolicy } from './register-config.ts';

type Undici = typeof import('undici');

/**
 * From this file on. It is built twice: an ES module has no `__filename`, and CommonJS no `import.meta`. `getCallSites` of
 * `node:util` would be simpler, and Node 20 has none.
 */
function requireFromHere(): NodeJS.Require {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 1;
  Error.prepareStackTrace = (_, [site]) => site?.getFileName();
  const here: unknown = new Error().stack;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return createRequire(String(here));
}

/**
 * The installed undici. It is not imported, because undici sets its own global dispatcher when it is loaded, which must not
 * happen with `EBB=off`.
 *
 * @throws Error if it is missing, is no undici 7 or 8, does not run on this Node, or is the one of Bun
 */
function loadUndici(): Undici {
  const require = requireFromHere();
  let version: string;
  try {
    ({ version } = require('undici/package.json'));
  } catch (cause) {
    throw fault('undici 7 or 8 is needed beside @ebb/undici: npm install undici', cause);
  }
  if (!/^[78]\./.test(version)) throw fault(`undici 7 or 8 is needed, and ${version} is installed`);
  let undici: Undici;
  try {
    undici = require('undici');
  } catch (cause) {
    throw fault(`undici ${version} does not run on Node ${process.version}`, cause);
  }
  // Whatever is installed, Bun gives its own.
  if (typeof undici.Dispatcher.prototype.compose !== 'function') {
    throw fault('the undici that Bun has built in has no interceptors; use @ebb/fetch');
  }
  return undici;
}

/**
 * Where a `fetch` or an undici looks for the global dispatcher: those of undici 6 and 7 in the first, those of undici 8 in the
 * second. The oldest 7 and 8 set only their own.
 */
const SLOTS: readonly symbol[] = [
  Symbol.for('undici.globalDispatcher.1'),
  Symbol.for('undici.globalDispatcher.2'),
];

/** True if Node sends its own requests through the proxy of `HTTP_PROXY` and `HTTPS_PROXY`. */
function usesEnvProxy({ env, execArgv }: NodeJS.Process): boolean {
  const flag = '--use-env-proxy';
  const isGiven = execArgv.includes(flag) || (env.NODE_OPTIONS ?? '').split(/\s+/).includes(flag);
  return isGiven || env.NODE_USE_ENV_PROXY === '1';
}

/** The dispatcher to put the policy on. */
function baseOf({ Agent, Dispatcher, EnvHttpProxyAgent, getGlobalDispatcher }: Undici): Dispatcher {
  // The dispatcher that Node sets for it is of Node's own undici, and undici 8 replaces it when it is loaded.
  if (usesEnvProxy(process)) return new EnvHttpProxyAgent();
  const current = getGlobalDispatcher();
  // The default of Node's own undici, if its fetch was used before. In Node 22 that is one of undici 6, which does not fit.
  const isForeign = !((current as object) instanceof Dispatcher);
  if (isForeign && current.constructor.name === 'Agent') return new Agent();
  return current;
}

/**
 * Puts the policy on the global dispatcher, for undici and for Node's fetch. fetch is not wrapped: its requests pass
 * through the dispatcher, and one layer must retry them, not two.
 */
function install(policy: Policy): void {
  const undici = loadUndici();
  const dispatcher = baseOf(undici).compose(ebbInterceptor(policy));
  const holder = globalThis as { readonly [slot: symbol]: unknown };
  const before = SLOTS.map((slot) => holder[slot]);
  undici.setGlobalDispatcher(dispatcher);
  SLOTS.forEach((slot, at) => {
    // A newer undici has put the dispatcher there, or one that adapts it.
    if (holder[slot] !== before[at]) return;
    Object.defineProperty(globalThis, slot, { value: dispatcher, writable: true });
  });
}

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
