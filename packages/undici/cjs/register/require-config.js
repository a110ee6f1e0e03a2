"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __setModuleDefault = (this && this.__setModuleDefault) || (Object.create ? (function(o, v) {
    Object.defineProperty(o, "default", { enumerable: true, value: v });
}) : function(o, v) {
    o["default"] = v;
});
var __importStar = (this && this.__importStar) || (function () {
    var ownKeys = function(o) {
        ownKeys = Object.getOwnPropertyNames || function (o) {
            var ar = [];
            for (var k in o) if (Object.prototype.hasOwnProperty.call(o, k)) ar[ar.length] = k;
            return ar;
        };
        return ownKeys(o);
    };
    return function (mod) {
        if (mod && mod.__esModule) return mod;
        var result = {};
        if (mod != null) for (var k = ownKeys(mod), i = 0; i < k.length; i++) if (k[i] !== "default") __createBinding(result, mod, k[i]);
        __setModuleDefault(result, mod);
        return result;
    };
})();
Object.defineProperty(exports, "__esModule", { value: true });
exports.requireConfig = requireConfig;
const node_fs_1 = require("node:fs");
const nodeModule = __importStar(require("node:module"));
const node_url_1 = require("node:url");
/** What an ES module must have to be a config. */
const HAS_DEFAULT_EXPORT = /^\s*export\s+default\b|^\s*export\s*\{[^}]*\bdefault\b/m;
/** What a CommonJS module must have. */
const HAS_EXPORTS = /\bexports\b/;
/** True for a file that is an ES module, whatever the nearest package.json says. */
function looksLikeModule(path) {
    if (!/\.[jt]s$/.test(path))
        return false;
    const source = (0, node_fs_1.readFileSync)(path, 'utf8');
    return HAS_DEFAULT_EXPORT.test(source) && !HAS_EXPORTS.test(source);
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
function requireConfig(path) {
    const require = nodeModule.createRequire(path);
    // Node 20 has no such hooks.
    const { registerHooks } = nodeModule;
    if (registerHooks === undefined || !looksLikeModule(path))
        return require(path);
    const own = (0, node_url_1.pathToFileURL)(path).href;
    const hooks = registerHooks({
        load(url, context, next) {
            if (url !== own || !context.format?.startsWith('commonjs'))
                return next(url, context);
            return next(url, { ...context, format: context.format.replace('commonjs', 'module') });
        },
    });
    try {
        return require(path);
    }
    finally {
        hooks.deregister();
    }
}
//# sourceMappingURL=require-config.js.map