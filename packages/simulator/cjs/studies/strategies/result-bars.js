"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.RECOVERY = exports.TOO_MANY = exports.P99 = exports.ANSWERED = exports.SENDS = void 0;
exports.resultBars = resultBars;
exports.traceOf = traceOf;
const bar_chart_ts_1 = require("../../chart/bar-chart.js");
const duration_ts_1 = require("../../chart/duration.js");
const NO_BREAK = '\u00a0';
/** A time as the text of a bar. */
function durationText(ms) {
    return (0, duration_ts_1.duration)(ms ?? 0).replace(' ', NO_BREAK);
}
/** A share in percent as the text of a bar. */
function percentText(percent) {
    return `${(percent ?? 0).toFixed(0)}${NO_BREAK}%`;
}
exports.SENDS = {
    name: 'Sends for each request',
    colour: 'blue',
    value: ({ amplification }) => amplification,
    text: (value = 0) => value.toFixed(2),
};
/** Requests that have no answer at the end, such as those that wait for ever, are not answered. */
exports.ANSWERED = {
    name: 'Answered by the end',
    colour: 'green',
    value: ({ totals }) => (100 * totals.successes) / totals.requests,
    text: percentText,
};
exports.P99 = {
    name: 'p99 of the answers',
    colour: 'purple',
    value: ({ latencyMs }) => latencyMs.p99,
    text: durationText,
};
/** Requests that a quota refused, per second. */
exports.TOO_MANY = {
    name: '429s per second',
    colour: 'red',
    value: ({ totals, series, intervalMs }) => (totals.throttled429 * 1_000) / (series.requests.length * intervalMs),
    text: (value = 0) => String(Math.round(value)),
};
exports.RECOVERY = {
    name: 'Seconds to recover',
    colour: 'orange',
    value: ({ recovery }) => recovery?.recoveredAfterMs === undefined ? undefined : recovery.recoveredAfterMs / 1_000,
    text: (value) => (value === undefined ? 'not in 60' : String(value)),
};
/** A row of bars for each policy. */
function resultBars(heading, results, measures) {
    return (0, bar_chart_ts_1.barChart)({
        ...heading,
        columns: measures.map(({ name }) => name),
        rows: results.map(({ name, trace }) => ({
            name,
            bars: measures.map((measure) => {
                const value = measure.value(trace);
                const parts = value === undefined ? [] : [{ value, colour: measure.colour }];
                return { parts, text: measure.text(value) };
            }),
        })),
    });
}
/** The trace of a policy. */
function traceOf(results, name) {
    const result = results.find((other) => other.name === name);
    if (result === undefined)
        throw new Error(`there is no policy ${name}`);
    return result.trace;
}
//# sourceMappingURL=result-bars.js.map