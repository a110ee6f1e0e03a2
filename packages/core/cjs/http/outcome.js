"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=outcome.js.map