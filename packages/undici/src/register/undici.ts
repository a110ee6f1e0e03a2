import { createRequire } from 'node:module';
import process from 'node:process';
import { fault } from './fault.ts';

/** What is used of undici. */
export type Undici = typeof import('undici');

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
export function loadUndici(): Undici {
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
