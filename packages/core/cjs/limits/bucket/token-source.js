"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=token-source.js.map