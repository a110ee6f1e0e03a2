"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.createFetch = void 0;
var create_fetch_ts_1 = require("./create-fetch.js");
Object.defineProperty(exports, "createFetch", { enumerable: true, get: function () { return create_fetch_ts_1.createFetch; } });
//# sourceMappingURL=index.js.map