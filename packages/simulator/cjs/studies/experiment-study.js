"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.experimentTable = experimentTable;
exports.experimentStudy = experimentStudy;
const duration_ts_1 = require("../chart/duration.js");
const line_chart_ts_1 = require("../chart/line-chart.js");
const palette_ts_1 = require("../chart/palette.js");
const scale_ts_1 = require("../chart/scale.js");
const goodput_ts_1 = require("../measure/goodput.js");
const trace_ts_1 = require("../measure/trace.js");
const experiment_ts_1 = require("./experiment.js");
function backIn({ recovery }) {
    if (recovery === undefined)
        return '—';
    return recovery.recoveredAfterMs === undefined ? 'not yet' : (0, duration_ts_1.duration)(recovery.recoveredAfterMs);
}
/** The largest of any number of values: `Math.max` fails with too many arguments. */
function largest(values) {
    return values.reduce((most, value) => Math.max(most, value), 0);
}
/** The results of all policies as a table. */
function experimentTable(results, durationMs) {
    return {
        columns: ['policy', 'sends', 'answered', '429s/s', 'p50', 'p99', 'queue', 'back in'],
        rows: results.map(({ name, trace }) => [
            name,
            trace.amplification.toFixed(2),
            `${(100 * (1 - (0, trace_ts_1.failedShare)(trace))).toFixed(1)} %`,
            (0, scale_ts_1.numeral)(Math.round((trace.totals.throttled429 * 1_000) / durationMs)),
            (0, duration_ts_1.duration)(trace.latencyMs.p50),
            (0, duration_ts_1.duration)(trace.latencyMs.p99),
            (0, scale_ts_1.numeral)(largest(trace.series.queue)),
            backIn(trace),
        ]),
        legend: [
            'sends: attempts for each request · answered: requests that did not fail',
            'p50, p99: from a request to its answer · queue: the longest, at the server',
            'back in: from the end of the trouble until answers keep up with requests',
        ].join('\n'),
    };
}
const LINE_COLOURS = Object.keys(palette_ts_1.COLOURS).filter((colour) => colour !== 'grey');
/** With dashes nine colours distinguish 45 lines. More than that are distinguished by their labels. */
const DASHES = [false, [6, 4], [2, 3], [12, 4], [12, 3, 2, 3]];
/** Goodput over time, with a line for each policy. */
function goodputFigure(results, title) {
    return (0, line_chart_ts_1.lineChart)({
        title,
        note: 'Answered requests as a share of the new requests of the same time.',
        x: 'Seconds',
        y: 'Requests answered, %',
        lines: results.map(({ name, trace }, at) => ({
            name,
            colour: LINE_COLOURS[at % LINE_COLOURS.length],
            points: (0, goodput_ts_1.goodput)(trace),
            dashed: DASHES[Math.floor(at / LINE_COLOURS.length) % DASHES.length],
        })),
    });
}
/** Every interval of every policy. */
function intervals(results) {
    const names = Object.keys(results[0]?.trace.series ?? {});
    return {
        columns: ['policy', 'seconds', ...names],
        rows: results.flatMap(({ name, trace: { series, intervalMs } }) => Array.from(series.requests, (_, at) => [
            name,
            ((at + 1) * intervalMs) / 1_000,
            ...names.map((column) => series[column][at]),
        ])),
    };
}
/** Traces with arrays instead of typed arrays, which JSON writes as objects. */
function asData(results) {
    return results.map(({ name, trace }) => ({
        policy: name,
        ...trace,
        series: Object.fromEntries(Object.entries(trace.series).map(([key, values]) => [key, Array.from(values)])),
    }));
}
/** A study of an experiment. Without `draw` it has one figure, of the goodput. */
function experimentStudy(name, shows, experiment, draw) {
    const title = experiment.title ?? shows;
    const drawings = draw ?? { goodput: (results) => goodputFigure(results, title) };
    return {
        name,
        shows,
        figures: Object.keys(drawings),
        run({ seed, onProgress } = {}) {
            const results = (0, experiment_ts_1.runExperiment)(experiment, { seed, onProgress });
            return {
                table: experimentTable(results, experiment.durationMs),
                figures: Object.entries(drawings).map(([name, drawn]) => ({ name, svg: drawn(results) })),
                csv: intervals(results),
                data: asData(results),
            };
        },
    };
}
//# sourceMappingURL=experiment-study.js.map