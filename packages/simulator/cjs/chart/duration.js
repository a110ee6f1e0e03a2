"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.duration = duration;
const scale_ts_1 = require("./scale.js");
/** 850 ms, 8.5 s, 85 s. */
function duration(ms) {
    if (ms < 1_000)
        return `${Math.round(ms)} ms`;
    return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(0, scale_ts_1.numeral)(Math.round(ms / 1_000))} s`;
}
//# sourceMappingURL=duration.js.map