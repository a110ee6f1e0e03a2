"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SCENARIO_FIELDS = void 0;
exports.checkIntervals = checkIntervals;
exports.checkScenario = checkScenario;
const check_ts_1 = require("./check.js");
const check_policy_ts_1 = require("./check-policy.js");
const checkClients = (path, value) => {
    const closed = typeof value === 'object' && value !== null && 'thinkMs' in value;
    const check = closed
        ? (0, check_ts_1.fields)({ count: check_ts_1.counting, thinkMs: check_ts_1.positive, '?requestsEach': check_ts_1.counting })
        : (0, check_ts_1.fields)({ count: check_ts_1.counting, requestsPerSecond: check_ts_1.positive });
    check(path, value);
};
const span = { fromMs: check_ts_1.notNegative, untilMs: check_ts_1.positive };
const TROUBLES = {
    outage: (0, check_ts_1.fields)({ type: (0, check_ts_1.oneOf)('outage'), ...span, '?answer': (0, check_ts_1.oneOf)('refused', 'unavailable', 'silence') }),
    'brown-out': (0, check_ts_1.fields)({ type: (0, check_ts_1.oneOf)('brown-out'), ...span, capacityShare: check_ts_1.share }),
    'slow-start': (0, check_ts_1.fields)({ type: (0, check_ts_1.oneOf)('slow-start'), ...span, capacityShare: check_ts_1.share }),
    errors: (0, check_ts_1.fields)({ type: (0, check_ts_1.oneOf)('errors'), ...span, share: check_ts_1.share }),
};
const checkTrouble = (path, value) => {
    const { type, fromMs, untilMs } = (value ?? {});
    (0, check_ts_1.oneOf)(...Object.keys(TROUBLES))(`${path}.type`, type);
    TROUBLES[type]?.(path, value);
    if (untilMs <= fromMs) {
        throw (0, check_ts_1.wrong)(`${path}.untilMs`, `a number > fromMs, ${fromMs}`, untilMs);
    }
};
const checkServer = (0, check_ts_1.fields)({
    workers: check_ts_1.counting,
    serviceMs: check_ts_1.positive,
    '?serviceSpread': (0, check_ts_1.oneOf)('constant', 'exponential', 'log-normal'),
    '?maxQueue': check_ts_1.whole,
    '?limit': (0, check_ts_1.fields)({
        refillPerSecond: check_ts_1.refillRate,
        capacity: check_ts_1.capacity,
        '?refillIntervalMs': check_ts_1.notNegative,
        '?retryAfter': check_ts_1.flag,
    }),
    '?troubles': (0, check_ts_1.listOf)(checkTrouble),
});
/** The fields of a scenario, without its policy. */
exports.SCENARIO_FIELDS = {
    durationMs: check_ts_1.positive,
    '?intervalMs': check_ts_1.positive,
    clients: checkClients,
    server: checkServer,
    '?network': (0, check_ts_1.fields)({ meanMs: check_ts_1.notNegative, '?deviationMs': check_ts_1.notNegative }),
};
const checkFields = (0, check_ts_1.fields)({ ...exports.SCENARIO_FIELDS, '?policy': check_policy_ts_1.checkPolicy });
/** More intervals would fill the memory with zeros. */
const MOST_INTERVALS = 1_000_000;
/** @throws ScenarioError if there are too many intervals */
function checkIntervals({ durationMs, intervalMs = 1_000, }) {
    if (durationMs / intervalMs > MOST_INTERVALS) {
        throw new check_ts_1.ScenarioError(`intervalMs divides durationMs into more than ${MOST_INTERVALS} intervals`);
    }
}
/**
 * Checks a scenario, which may come from a file.
 * @throws ScenarioError whose message begins with the path of the wrong field
 */
function checkScenario(value) {
    checkFields('', value);
    checkIntervals(value);
}
//# sourceMappingURL=check-scenario.js.map