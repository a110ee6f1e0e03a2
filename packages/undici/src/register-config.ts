import { existsSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import type { Policy, PolicyOptions } from '@ebb/core';
import { createPolicy } from '@ebb/core/adapter';

/** An error that ends the process at its start. Its message therefore names this module. */
export function fault(message: string, cause?: unknown): Error {
  return new Error(`@ebb/undici/register: ${message}`, cause === undefined ? undefined : { cause });
}

/** The endings of a config file. */
const ENDINGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'] as const;

const LIST = ENDINGS.map((ending) => `.${ending}`).join(', ');

/** The folders that may hold the config: from `start` up to the nearest with a package.json, or `start` alone if there is none. */
function foldersFrom(start: string): readonly string[] {
  const folders = [start];
  for (let folder = start; !existsSync(join(folder, 'package.json')); ) {
    const parent = dirname(folder);
    if (parent === folder) return [start];
    folders.push(parent);
    folder = parent;
  }
  return folders;
}

/** @throws Error if the file does not exist, or has another ending */
function checkPath(path: string): string {
  if (!existsSync(path)) throw fault(`EBB_CONFIG names ${path}, which does not exist`);
  if (!ENDINGS.some((ending) => path.endsWith(`.${ending}`))) {
    throw fault(`EBB_CONFIG names ${path}, which is not one of ${LIST}`);
  }
  return path;
}

/**
 * The path of the config: the file that `EBB_CONFIG` names, relative to `directory`, or the `ebb.config.*` nearest to
 * `directory`, not above the nearest package.json. `undefined` if there is none.
 *
 * @throws Error if `EBB_CONFIG` names no config, and for two configs in one folder
 */
export function findConfig(directory: string, name: string | undefined): string | undefined {
  if (name) return checkPath(resolve(directory, name));
  for (const folder of foldersFrom(directory)) {
    const names = ENDINGS.map((ending) => `ebb.config.${ending}`);
    const [first, second] = names.filter((file) => existsSync(join(folder, file)));
    // To pick one silently would be a trap: the other is the one that is being edited.
    if (second) throw fault(`${folder} has ${first} and ${second}; keep one, or name one in EBB_CONFIG`);
    if (first) return join(folder, first);
  }
  return undefined;
}

/**
 * The default export that makes an ES module a config. No part of the expression reads past a line or a brace, so its time does not grow
 * faster than the file.
 */
const HAS_DEFAULT_EXPORT = /^[ \t\uFEFF]*export\s+default\b|^[ \t\uFEFF]*export\s*\{[^{}]*\bdefault\b/m;
/** The exports that make a CommonJS module a config. */
const HAS_EXPORTS = /\bexports\b/;

/** True for the source of an ES module, whatever the nearest package.json says. */
export function isModule(source: string): boolean {
  return HAS_DEFAULT_EXPORT.test(source) && !HAS_EXPORTS.test(source);
}

function looksLikeModule(path: string): boolean {
  return /\.[jt]s$/.test(path) && isModule(readFileSync(path, 'utf8'));
}

/**
 * Loads a config synchronously, so that `--require` works as `--import` does: `require` also loads ES modules, and strips
 * types.
 *
 * With `"type": "commonjs"`, which `npm init` writes, Node takes a `.ts` or `.js` file for CommonJS whatever is in it. An ES
 * module is still loaded as one, where Node has synchronous hooks (from 22.15 on).
 *
 * @throws what Node or the file throws
 */
function requireConfig(path: string): unknown {
  const require = nodeModule.createRequire(path);
  // Node 20 has no such hooks.
  const { registerHooks }: Partial<typeof nodeModule> = nodeModule;
  if (registerHooks === undefined || !looksLikeModule(path)) return require(path);
  const own = pathToFileURL(path).href;
  const hooks = registerHooks({
    load(url, context, next) {
      if (url !== own || !context.format?.startsWith('commonjs')) return next(url, context);
      return next(url, { ...context, format: context.format.replace('commonjs', 'module') });
    },
  });
  try {
    return require(path);
  } finally {
    hooks.deregister();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The messages of V8 for an ES module that is loaded as CommonJS. */
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

/** @throws Error for an ES module without a default export */
function defaultOf(path: string, loaded: unknown): unknown {
  const exports: { readonly __esModule?: unknown; readonly default?: unknown } = loaded ?? {};
  const isEsModule = types.isModuleNamespaceObject(loaded) || exports.__esModule === true;
  if (!isEsModule) return loaded;
  if (exports.default === undefined) throw fault(`${path} has no default export`);
  return exports.default;
}

/** @throws Error if the function throws, and for a promise */
function configFrom(path: string, value: unknown): unknown {
  if (typeof value !== 'function') return value;
  let result: unknown;
  try {
    result = value();
  } catch (cause) {
    throw fault(`${path}: its function threw: ${messageOf(cause)}`, cause);
  }
  if (types.isPromise(result)) {
    // The result is ignored, and a rejection must not go unhandled.
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
  const options = configFrom(path, defaultOf(path, load(path)));
  if (options === undefined) throw fault(`${path}: its function returns undefined`);
  try {
    return createPolicy(options as PolicyOptions);
  } catch (cause) {
    throw fault(`${path}: ${messageOf(cause)}`, cause);
  }
}
