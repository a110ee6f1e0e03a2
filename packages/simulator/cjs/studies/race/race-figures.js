"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.callsFigure = callsFigure;
exports.completionFigure = completionFigure;
exports.exponentialFigure = exponentialFigure;
exports.otherCallsFigure = otherCallsFigure;
exports.otherCompletionFigure = otherCompletionFigure;
const finding_ts_1 = require("../../chart/finding.js");
const line_chart_ts_1 = require("../../chart/line-chart.js");
const scale_ts_1 = require("../../chart/scale.js");
const RULE_COLOURS = {
    None: 'grey',
    Exponential: 'red',
    'Equal jitter': 'orange',
    'Full jitter': 'blue',
    Decorrelated: 'green',
    Memorystore: 'purple',
    Celery: 'teal',
    Ethernet: 'brown',
};
const RACE = 'Clients race to write one row; after a conflict they wait and read it again. 100 runs per point.';
function most(points, rule) {
    const point = points.filter((other) => other.rule === rule).at(-1);
    if (point === undefined)
        throw new Error(`There is no point for ${rule}`);
    return point;
}
function callsChart({ points, settings }, title) {
    return (0, line_chart_ts_1.lineChart)({
        title,
        note: `${RACE} ${settings}`,
        x: 'Competing clients',
        y: 'Calls',
        lines: ruleLines(points, ({ calls }) => calls.mean),
    });
}
function timeChart({ points, settings }, title) {
    return (0, line_chart_ts_1.lineChart)({
        title,
        note: `${RACE} ${settings}`,
        x: 'Competing clients',
        y: 'Seconds until all clients are done',
        lines: ruleLines(points, ({ completionMs }) => completionMs.mean / 1_000),
    });
}
function ruleLines(points, value) {
    const rules = [...new Set(points.map(({ rule }) => rule))];
    return rules.map((rule) => ({
        name: rule,
        colour: RULE_COLOURS[rule] ?? 'grey',
        points: points
            .filter((point) => point.rule === rule)
            .map((point) => [point.clients, value(point)]),
    }));
}
/** How many calls all clients make until they are done. */
function callsFigure(race) {
    const [none, full] = ['None', 'Full jitter'].map((rule) => most(race.points, rule).calls.mean);
    const title = (0, finding_ts_1.finding)(full < none / 4, `Full jitter needs ${(0, scale_ts_1.numeral)(Math.round(full))} calls; without backoff it takes ${(0, scale_ts_1.numeral)(Math.round(none))}`, 'How many calls five backoff rules need');
    return callsChart(race, title);
}
/** How long it takes until all clients are done, with jitter and without backoff. */
function completionFigure({ points, settings }) {
    const seconds = (rule) => most(points, rule).completionMs.mean / 1_000;
    const [equal, decorrelated, full] = ['Equal jitter', 'Decorrelated', 'Full jitter'].map(seconds);
    const title = (0, finding_ts_1.finding)(equal > 1.1 * decorrelated && decorrelated > full, `Equal jitter takes longest, ${equal.toFixed(1)}\u00a0s; decorrelated jitter takes ${decorrelated.toFixed(1)}\u00a0s, full jitter ${full.toFixed(1)}\u00a0s`, 'How long each jitter takes, and no backoff');
    const shown = points.filter(({ rule }) => rule !== 'Exponential');
    return timeChart({ points: shown, settings }, title);
}
/** How long exponential backoff takes without jitter and with full jitter. */
function exponentialFigure({ points, settings }) {
    const seconds = (rule) => Math.round(most(points, rule).completionMs.mean / 1_000);
    const [without, full] = [seconds('Exponential'), seconds('Full jitter')];
    const title = (0, finding_ts_1.finding)(without > 10 * full, `Exponential backoff without jitter takes ${without}\u00a0s; with full jitter, ${full}\u00a0s`, 'How long exponential backoff takes, without jitter and with it');
    const shown = points.filter(({ rule }) => ['Exponential', 'Full jitter'].includes(rule));
    return timeChart({ points: shown, settings }, title);
}
/** The calls of the rules that are not in the published comparison. */
function otherCallsFigure(race) {
    const calls = (rule) => most(race.points, rule).calls.mean;
    const near = (rule) => Math.abs(calls(rule) / calls('Full jitter') - 1) < 0.1;
    const title = (0, finding_ts_1.finding)(near('Celery') && near('Ethernet'), 'The rules of Celery and Ethernet need as many calls as full jitter', 'How many calls the rules of Memorystore, Celery and Ethernet need');
    return callsChart(race, title);
}
/** The time of the rules that are not in the published comparison. */
function otherCompletionFigure(race) {
    const seconds = (rule) => most(race.points, rule).completionMs.mean / 1_000;
    const [small, full] = [seconds('Memorystore'), seconds('Full jitter')];
    const title = (0, finding_ts_1.finding)(small > 1.2 * full, `Jitter that does not grow with the waits helps little: ${small.toFixed(0)}\u00a0s, against ${full.toFixed(0)}\u00a0s with full jitter`, 'How long the rules of Memorystore, Celery and Ethernet take');
    return timeChart(race, title);
}
//# sourceMappingURL=race-figures.js.map