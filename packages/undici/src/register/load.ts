import process from 'node:process';
import { types } from 'node:util';
import type { Policy, PolicyOptions } from '@ebb/core';
import { createPolicy } from '@ebb/core/adapter';
import { fault } from './fault.ts';
import { requireConfig } from './require-config.ts';

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What V8 says of an ES module that is loaded as CommonJS. */
const MODULE_SYNTAX =
  /^Cannot use import statement outside|^Unexpected token 'export'|^Cannot use 'import\.meta' outside|^await is only valid in/;

/** Why a config could not be loaded, with what to do about it. */
function reasonOf(path: string, error: unknown): string {
  if ((error as { readonly code?: unknown } | undefined)?.code === 'ERR_REQUIRE_ASYNC_MODULE') {
    return 'it uses top-level await, and is loaded synchronously';
  }
  const [, name = '', kind = '', t = ''] = /([^/\\]+)\.([cm]?)(t|j)s$/.exec(path) ?? [];
  if (t === 't' && !process.features.typescript) {
    return `Node ${process.version} does not run TypeScript; use Node 22.18 or later, or a config in JavaScript, ${name}.mjs`;
  }
  // Also of a file that it imports: only the file itself is known to be the fault.
  const isOwn = error instanceof SyntaxError && error.stack?.startsWith(`${path}:`) === true;
  if (isOwn && kind !== 'm' && MODULE_SYNTAX.test(error.message)) {
    const why = kind === 'c' ? `a .c${t}s file` : 'with "type": "commonjs" in package.json it';
    return `${why} is CommonJS, and it has the syntax of an ES module; call it ${name}.m${t}s (${error.message})`;
  }
  return messageOf(error);
}

function load(path: string): unknown {
  try {
    return requireConfig(path);
  } catch (cause) {
    throw fault(`${path} cannot be loaded: ${reasonOf(path, cause)}`, cause);
  }
}

interface Exports {
  readonly __esModule?: unknown;
  readonly default?: unknown;
}

/** @throws Error for an ES module without a default export */
function defaultOf(path: string, loaded: unknown): unknown {
  const exports: Exports = loaded ?? {};
  const isModule = types.isModuleNamespaceObject(loaded) || exports.__esModule === true;
  if (!isModule) return loaded;
  if (exports.default === undefined) throw fault(`${path} has no default export`);
  return exports.default;
}

/** @throws Error if the function throws, and for a promise */
function made(path: string, value: unknown): unknown {
  if (typeof value !== 'function') return value;
  let result: unknown;
  try {
    result = value();
  } catch (cause) {
    throw fault(`${path}: its function threw: ${messageOf(cause)}`, cause);
  }
  if (types.isPromise(result)) {
    // What becomes of it does not matter any more.
    result.catch(() => undefined);
    throw fault(`${path}: its function returns a promise, and must return options or a policy`);
  }
  return result;
}

/**
 * The policy of a config, which exports options, a policy, or a function that returns one of them.
 *
 * @throws Error with the path, and for a wrong option with its name. The cause is the error of the file or of
 *   `createPolicy`
 */
export function loadPolicy(path: string): Policy {
  const options = made(path, defaultOf(path, load(path)));
  if (options === undefined) throw fault(`${path}: its function returns undefined`);
  try {
    return createPolicy(options as PolicyOptions);
  } catch (cause) {
    throw fault(`${path}: ${messageOf(cause)}`, cause);
  }
}
