"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.hasAsyncContext = exports.nodeProcess = void 0;
/** The `process` of Node or a compatible runtime. Node's modules are not imported, because bundlers fail on them. */
exports.nodeProcess = globalThis.process;
/** True if the runtime tracks the async context of a call. */
exports.hasAsyncContext = exports.nodeProcess?.getBuiltinModule?.('node:async_hooks') !== undefined;
//# sourceMappingURL=node.js.map