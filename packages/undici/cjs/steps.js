"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=steps.js.map