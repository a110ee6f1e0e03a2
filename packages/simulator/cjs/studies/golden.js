"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.GOLDEN_STUDIES = void 0;
const studies_ts_1 = require("./studies.js");
const RACES_AND_BUCKETS = ['aws', 'rules', 'app-engine', 'api-gateway', 'treatments', 'storm'];
const STRATEGIES = [
    'retry-after',
    'timeouts',
    'adaptive',
    'fleet-budget',
    'slots',
    'tenants',
    'processes',
    'priorities',
];
const GOLDEN = new Set([...RACES_AND_BUCKETS, ...STRATEGIES]);
/** The studies whose figures are in the repository, drawn with the default seed of each. */
exports.GOLDEN_STUDIES = studies_ts_1.STUDIES.filter(({ name }) => GOLDEN.has(name));
//# sourceMappingURL=golden.js.map