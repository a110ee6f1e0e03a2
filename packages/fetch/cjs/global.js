"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=global.js.map