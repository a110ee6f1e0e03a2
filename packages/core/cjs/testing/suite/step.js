"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.down = exports.up = void 0;
exports.up = { status: 200, body: 'up' };
exports.down = { status: 503, body: 'down' };
//# sourceMappingURL=step.js.map