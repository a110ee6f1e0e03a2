"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=adapter.js.map