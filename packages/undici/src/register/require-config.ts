import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';

/** What an ES module must have to be a config. No part of it reads past a line or a brace, so that its time does not grow faster than the file. */
const HAS_DEFAULT_EXPORT = /^[ \t\uFEFF]*export\s+default\b|^[ \t\uFEFF]*export\s*\{[^{}]*\bdefault\b/m;
/** What a CommonJS module must have. */
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
export function requireConfig(path: string): unknown {
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
