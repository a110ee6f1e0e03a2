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
exports.treatments = exports.apiGateway = exports.appEngine = void 0;
const duration_ts_1 = require("../../chart/duration.js");
const scale_ts_1 = require("../../chart/scale.js");
const bucket_cases_ts_1 = require("./bucket-cases.js");
const figures = __importStar(require("./bucket-figures.js"));
exports.appEngine = {
    name: 'app-engine',
    shows: 'buckets of 500 and of 100 tokens at 500 tasks per second',
    figures: ['app-engine'],
    run() {
        const seconds = [0.2, 0.4, 0.6, 0.8, 1, 2];
        const sizes = [500, 100];
        const startedBy = (size, second) => (0, bucket_cases_ts_1.taskStarts)(size, 2_000).filter((ms) => ms < second * 1_000).length;
        const rows = sizes.map((size) => [size, ...seconds.map((second) => startedBy(size, second))]);
        return {
            table: {
                columns: ['bucket', ...seconds.map((second) => `${second} s`)],
                rows: rows.map((row) => row.map(scale_ts_1.numeral)),
                legend: 'tasks started by that time, from a long backlog; tokens come in every 200 ms',
            },
            figures: [{ name: 'app-engine', svg: figures.appEngineFigure() }],
            csv: { columns: ['bucket', ...seconds.map((second) => `by_${second}_s`)], rows },
            data: sizes.map((bucketSize) => ({ bucketSize, startsMs: (0, bucket_cases_ts_1.taskStarts)(bucketSize, 2_000) })),
        };
    },
};
exports.apiGateway = {
    name: 'api-gateway',
    shows: 'five ways for 10,000 requests to arrive in a second',
    figures: ['api-gateway'],
    run() {
        const cases = bucket_cases_ts_1.GATEWAY_CASES.map((gatewayCase) => ({
            story: gatewayCase.story,
            ...(0, bucket_cases_ts_1.gatewayServes)(gatewayCase),
        }));
        return {
            table: {
                columns: ['10,000 requests arrive', 'served', 'throttled'],
                rows: cases.map(({ story, served, throttled }) => [story, (0, scale_ts_1.numeral)(served), (0, scale_ts_1.numeral)(throttled)]),
            },
            figures: [{ name: 'api-gateway', svg: figures.gatewayFigure() }],
            csv: {
                columns: ['story', 'served', 'throttled'],
                rows: cases.map(({ story, served, throttled }) => [story, served, throttled]),
            },
            data: cases,
        };
    },
};
exports.treatments = {
    name: 'treatments',
    shows: 'delay, reject or mark: requests without a token',
    figures: ['treatments'],
    run() {
        const results = ['delay', 'reject', 'mark'].map((treatment) => {
            const passages = (0, bucket_cases_ts_1.burstUnder)(treatment);
            const waits = passages.map(({ arrivedAtMs, sentAtMs = arrivedAtMs }) => sentAtMs - arrivedAtMs);
            return {
                treatment,
                sent: passages.filter(({ sentAtMs }) => sentAtMs !== undefined).length,
                notConforming: passages.filter(({ conforming }) => !conforming).length,
                longestWaitMs: Math.max(...waits),
            };
        });
        return {
            table: {
                columns: ['treatment', 'sent', 'not conforming', 'longest wait'],
                rows: results.map(({ treatment, sent, notConforming, longestWaitMs }) => [
                    treatment,
                    `${sent} of 300`,
                    (0, scale_ts_1.numeral)(notConforming),
                    (0, duration_ts_1.duration)(longestWaitMs),
                ]),
                legend: '200 requests in a second, then 50 per second; a bucket of 20 at 100 per second',
            },
            figures: [{ name: 'treatments', svg: figures.treatmentsFigure() }],
            csv: {
                columns: ['treatment', 'sent', 'not_conforming', 'longest_wait_ms'],
                rows: results.map((result) => [
                    result.treatment,
                    result.sent,
                    result.notConforming,
                    Number(result.longestWaitMs.toFixed(3)),
                ]),
            },
            data: results,
        };
    },
};
//# sourceMappingURL=bucket-studies.js.map