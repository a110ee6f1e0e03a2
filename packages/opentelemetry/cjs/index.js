"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.telemetry = exports.observe = exports.instrument = void 0;
var instrument_ts_1 = require("./instrument.js");
Object.defineProperty(exports, "instrument", { enumerable: true, get: function () { return instrument_ts_1.instrument; } });
var observe_ts_1 = require("./observe.js");
Object.defineProperty(exports, "observe", { enumerable: true, get: function () { return observe_ts_1.observe; } });
var telemetry_ts_1 = require("./telemetry.js");
Object.defineProperty(exports, "telemetry", { enumerable: true, get: function () { return telemetry_ts_1.telemetry; } });
//# sourceMappingURL=index.js.map