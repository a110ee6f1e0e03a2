"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SILENCE = void 0;
exports.healthAt = healthAt;
exports.momentsOf = momentsOf;
const outcomes_ts_1 = require("../outcomes.js");
/** The steps of a slow start. */
const STEPS = 50;
/** The outcome of a request that gets no answer. */
exports.SILENCE = -1;
const OUTCOME_OF = { refused: outcomes_ts_1.REFUSED, unavailable: outcomes_ts_1.UNAVAILABLE, silence: exports.SILENCE };
/** The state of a server at a time, under all its troubles. */
function healthAt(troubles, nowMs) {
    let capacityShare = 1;
    let rightShare = 1;
    let outage;
    for (const trouble of troubles) {
        const { fromMs, untilMs } = trouble;
        if (nowMs < fromMs || nowMs >= untilMs)
            continue;
        if (trouble.type === 'outage')
            outage = OUTCOME_OF[trouble.answer ?? 'refused'];
        else if (trouble.type === 'errors')
            rightShare *= 1 - trouble.share;
        else if (trouble.type === 'brown-out')
            capacityShare *= trouble.capacityShare;
        else {
            const step = Math.floor(((nowMs - fromMs) / (untilMs - fromMs)) * STEPS + 1e-6) / STEPS;
            capacityShare *= trouble.capacityShare + (1 - trouble.capacityShare) * step;
        }
    }
    return { capacityShare, errorShare: 1 - rightShare, outage };
}
/** The times at which {@link healthAt} changes. */
function momentsOf(troubles) {
    const moments = troubles.flatMap(({ type, fromMs, untilMs }) => {
        const steps = type === 'slow-start' ? STEPS : 1;
        return Array.from({ length: steps + 1 }, (_, step) => fromMs + ((untilMs - fromMs) * step) / steps);
    });
    return [...new Set(moments)].sort((a, b) => a - b);
}
//# sourceMappingURL=trouble.js.map