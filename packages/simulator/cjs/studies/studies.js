"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __setModuleDefault = (this && this.__setModuleDefault) || (Object.create ? (function(o, v) {
    Object.defineProperty(o, "default", { enumerable: true, value: v });
}) : function(o, v) {
    o["default"] = v;
});
var __importStar = (this && this.__importStar) || (function () {
    var ownKeys = function(o) {
        ownKeys = Object.getOwnPropertyNames || function (o) {
            var ar = [];
            for (var k in o) if (Object.prototype.hasOwnProperty.call(o, k)) ar[ar.length] = k;
            return ar;
        };
        return ownKeys(o);
    };
    return function (mod) {
        if (mod && mod.__esModule) return mod;
        var result = {};
        if (mod != null) for (var k = ownKeys(mod), i = 0; i < k.length; i++) if (k[i] !== "default") __createBinding(result, mod, k[i]);
        __setModuleDefault(result, mod);
        return result;
    };
})();
Object.defineProperty(exports, "__esModule", { value: true });
exports.STUDIES = void 0;
const bucket_studies_ts_1 = require("./buckets/bucket-studies.js");
const experiment_study_ts_1 = require("./experiment-study.js");
const race_study_ts_1 = require("./race/race-study.js");
const quiet_ts_1 = require("./storm/quiet.js");
const reserves_ts_1 = require("./storm/reserves.js");
const service_experiments_ts_1 = require("./storm/service-experiments.js");
const storm_ts_1 = require("./storm/storm.js");
const storms = __importStar(require("./storm/storm-figures.js"));
const queue_studies_ts_1 = require("./strategies/queue-studies.js");
const services_ts_1 = require("./strategies/services.js");
const stormFigures = {
    storm: storms.stormFigure,
    'storm-schemes': storms.stormSchemesFigure,
    'storm-queue': storms.stormQueueFigure,
};
const BUSY = { clients: 50, requestsPerSecond: 2_000 };
const MILLION = { clients: 1_000_000, requestsPerSecond: 50_000 };
/** All studies, in the order of the list of ebb-sim. */
exports.STUDIES = [
    (0, race_study_ts_1.articleStudy)(),
    race_study_ts_1.otherRulesStudy,
    bucket_studies_ts_1.appEngine,
    bucket_studies_ts_1.apiGateway,
    bucket_studies_ts_1.treatments,
    (0, experiment_study_ts_1.experimentStudy)('storm', '14 ways to retry while half the capacity is gone', (0, storm_ts_1.storm)((0, storm_ts_1.stormPolicies)()), stormFigures),
    (0, experiment_study_ts_1.experimentStudy)('storm-busy', 'the storm with 50 busy clients instead of 10,000 quiet ones', (0, storm_ts_1.storm)((0, storm_ts_1.stormPolicies)(BUSY), BUSY)),
    (0, experiment_study_ts_1.experimentStudy)('storm-short-queue', 'the storm with a queue shorter than clients wait', (0, storm_ts_1.storm)((0, storm_ts_1.stormPolicies)(), { queueSeconds: 0.4 })),
    reserves_ts_1.reserves,
    (0, experiment_study_ts_1.experimentStudy)('storm-quiet', 'the storm with 100,000 clients of one request in 50 s', quiet_ts_1.quietStorm),
    (0, experiment_study_ts_1.experimentStudy)('quiet-day', 'the same clients while 2 % of the requests fail at random', quiet_ts_1.quietDay),
    (0, experiment_study_ts_1.experimentStudy)('quota', 'a service with a quota, 429 and Retry-After', service_experiments_ts_1.quota),
    (0, experiment_study_ts_1.experimentStudy)('outage', 'half a minute of outage, then a slow start', service_experiments_ts_1.outage),
    services_ts_1.retryAfter,
    services_ts_1.timeouts,
    services_ts_1.adaptiveRate,
    services_ts_1.fleetBudget,
    queue_studies_ts_1.slots,
    queue_studies_ts_1.tenants,
    queue_studies_ts_1.processes,
    queue_studies_ts_1.priorities,
    (0, experiment_study_ts_1.experimentStudy)('million', 'a million clients through the storm', (0, storm_ts_1.storm)({ '+ budget': (0, storm_ts_1.stormPolicies)(MILLION)['+ budget'] ?? {} }, MILLION)),
];
//# sourceMappingURL=studies.js.map