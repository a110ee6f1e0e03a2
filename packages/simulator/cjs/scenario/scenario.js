"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=scenario.js.map