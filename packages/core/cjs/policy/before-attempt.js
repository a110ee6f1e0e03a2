"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=before-attempt.js.map