"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=server-options.js.map