"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ebbInterceptor = void 0;
var interceptor_ts_1 = require("./interceptor.js");
Object.defineProperty(exports, "ebbInterceptor", { enumerable: true, get: function () { return interceptor_ts_1.ebbInterceptor; } });
//# sourceMappingURL=index.js.map