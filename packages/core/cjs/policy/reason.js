"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=reason.js.map