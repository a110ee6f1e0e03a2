"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=inspect.js.map