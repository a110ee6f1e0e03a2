/**
 * Loads a config synchronously, so that `--require` works as `--import` does: `require` also loads ES modules, and strips
 * types.
 *
 * With `"type": "commonjs"`, which `npm init` writes, Node takes a `.ts` or `.js` file for CommonJS whatever is in it. An ES
 * module is still loaded as one, where Node has synchronous hooks (from 22.15 on).
 *
 * @throws what Node or the file throws
 */
export declare function requireConfig(path: string): unknown;
//# sourceMappingURL=require-config.d.ts.map