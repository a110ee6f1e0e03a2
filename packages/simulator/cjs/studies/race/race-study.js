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
exports.otherRulesStudy = void 0;
exports.articleStudy = articleStudy;
const duration_ts_1 = require("../../chart/duration.js");
const scale_ts_1 = require("../../chart/scale.js");
const comparison_ts_1 = require("../../race/comparison.js");
const figures = __importStar(require("./race-figures.js"));
/** The seed of the README and the tests, with which all published means are met. `pnpm agreement` counts such seeds. */
const SEED = 4;
const CSV_COLUMNS = [
    'clients',
    'rule',
    'runs',
    'mean_completion_ms',
    'se_completion_ms',
    'mean_calls',
    'se_calls',
];
function csvRow({ clients, rule, runs, completionMs, calls }) {
    return [
        clients,
        rule,
        runs,
        Number(completionMs.mean.toFixed(2)),
        Number(completionMs.standardError.toFixed(3)),
        Number(calls.mean.toFixed(3)),
        Number(calls.standardError.toFixed(4)),
    ];
}
/** At most four of the numbers of clients, always with the first and the last. */
function shownOf(points) {
    const clients = [...new Set(points.map((point) => point.clients))];
    const last = clients.length - 1;
    return [...new Set([0, 1 / 3, 2 / 3, 1].map((share) => clients[Math.round(share * last)]))];
}
function raceStudy({ name, shows, comparison, settings, draw }) {
    return {
        name,
        shows,
        figures: Object.keys(draw),
        run({ seed = SEED, onProgress } = {}) {
            const points = (0, comparison_ts_1.compareRules)({ ...comparison, seed, ...(onProgress && { onProgress }) });
            const shown = shownOf(points);
            const rules = [...new Set(points.map(({ rule }) => rule))];
            const cell = (rule, clients) => {
                const point = points.find((other) => other.rule === rule && other.clients === clients);
                if (point === undefined)
                    return '';
                return `${(0, scale_ts_1.numeral)(Math.round(point.calls.mean))} / ${(0, duration_ts_1.duration)(point.completionMs.mean)}`;
            };
            return {
                table: {
                    columns: ['rule', ...shown.map((clients) => `${clients} clients`)],
                    rows: rules.map((rule) => [rule, ...shown.map((clients) => cell(rule, clients))]),
                    legend: 'calls / time until all clients are done; means of 100 runs',
                },
                figures: Object.entries(draw).map(([name, drawn]) => ({ name, svg: drawn({ points, settings }) })),
                csv: { columns: CSV_COLUMNS, rows: points.map(csvRow) },
                data: points,
            };
        },
    };
}
/** The race of the article, or a race with other settings. */
function articleStudy(given = {}) {
    const race = { ...comparison_ts_1.ARTICLE_RACE, ...given };
    const { baseMs, capMs, networkMeanMs, networkDeviationMs } = race;
    const isArticles = Object.keys(given).length === 0;
    return raceStudy({
        name: 'aws',
        shows: 'five backoff rules in the race of the AWS article',
        comparison: { ...race, rules: (0, comparison_ts_1.articleRules)({ baseMs, capMs }) },
        settings: isArticles
            ? 'The published comparison, reproduced.'
            : `Base ${(0, scale_ts_1.numeral)(baseMs)} ms, cap ${(0, scale_ts_1.numeral)(capMs)} ms; messages take ${(0, scale_ts_1.numeral)(networkMeanMs)} ± ${(0, scale_ts_1.numeral)(networkDeviationMs)} ms.`,
        draw: {
            'backoff-calls': figures.callsFigure,
            'backoff-time': figures.completionFigure,
            'backoff-exponential': figures.exponentialFigure,
        },
    });
}
/** The same race for rules that are not in the article. */
exports.otherRulesStudy = raceStudy({
    name: 'rules',
    shows: 'the same race for Memorystore, Celery and Ethernet',
    comparison: { rules: [...comparison_ts_1.ARTICLE_RULES.filter(({ name }) => name === 'Full jitter'), ...comparison_ts_1.OTHER_RULES] },
    settings: 'Memorystore’s rule is scaled to a hundredth of its time.',
    draw: { 'rules-calls': figures.otherCallsFigure, 'rules-time': figures.otherCompletionFigure },
});
//# sourceMappingURL=race-study.js.map