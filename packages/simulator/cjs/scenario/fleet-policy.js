"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=fleet-policy.js.map