"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.repeatsPosts = repeatsPosts;
const check_ts_1 = require("../base/check.js");
const options_ts_1 = require("../base/options.js");
/**
 * Reads the options of a preset.
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 */
function repeatsPosts(preset, options, byDefault) {
    const table = { repeatPosts: { check: check_ts_1.flag, default: byDefault } };
    return (0, options_ts_1.readOptions)(preset, options, table).repeatPosts;
}
//# sourceMappingURL=preset-options.js.map