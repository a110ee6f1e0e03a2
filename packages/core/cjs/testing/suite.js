"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.suite = exports.rowsFor = void 0;
var suite_ts_1 = require("./suite/suite.js");
Object.defineProperty(exports, "rowsFor", { enumerable: true, get: function () { return suite_ts_1.rowsFor; } });
Object.defineProperty(exports, "suite", { enumerable: true, get: function () { return suite_ts_1.suite; } });
//# sourceMappingURL=suite.js.map