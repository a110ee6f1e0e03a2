"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
//# sourceMappingURL=study.js.map