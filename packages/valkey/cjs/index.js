"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.valkeyBudget = exports.valkeyBucket = void 0;
var bucket_ts_1 = require("./bucket.js");
Object.defineProperty(exports, "valkeyBucket", { enumerable: true, get: function () { return bucket_ts_1.valkeyBucket; } });
var budget_ts_1 = require("./budget.js");
Object.defineProperty(exports, "valkeyBudget", { enumerable: true, get: function () { return budget_ts_1.valkeyBudget; } });
//# sourceMappingURL=index.js.map