"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.PerKeyPart = void 0;
const check_ts_1 = require("../base/check.js");
const errors_ts_1 = require("../base/errors.js");
const admit_ts_1 = require("../request/admit.js");
/** The limit of the key of each call takes part in it. */
class PerKeyPart {
    name = 'per-key';
    /** What it makes is not known yet. Of two parts in one place the one that its option puts first goes first. */
    place = 'tokens';
    admit = admit_ts_1.admit;
    #limitOf;
    constructor(limitOf) {
        this.#limitOf = limitOf;
    }
    /** @throws HookError if what `make` returns is no limit */
    begin(call) {
        const limit = this.#limitOf(call);
        if (limit.part !== undefined)
            return limit.part.begin(call);
        throw new errors_ts_1.HookError('make', (0, check_ts_1.wrongType)('its result', 'a limit, or ownBucket(…), ownLimit(…), ownBudget(…)', limit));
    }
}
exports.PerKeyPart = PerKeyPart;
//# sourceMappingURL=per-key.js.map