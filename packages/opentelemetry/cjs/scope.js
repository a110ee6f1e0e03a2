"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.VERSION = exports.SCOPE = void 0;
/** The instrumentation scope of all spans and metrics. */
exports.SCOPE = '@ebb/opentelemetry';
/** That of the scope: of this package. A release writes it. */
exports.VERSION = '0.1.0';
//# sourceMappingURL=scope.js.map