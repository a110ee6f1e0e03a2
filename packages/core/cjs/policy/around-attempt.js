"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=around-attempt.js.map