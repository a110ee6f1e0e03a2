"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.lineChart = lineChart;
const axes_ts_1 = require("./axes.js");
const bands_ts_1 = require("./bands.js");
const frame_ts_1 = require("./frame.js");
const labels_ts_1 = require("./labels.js");
const palette_ts_1 = require("./palette.js");
const svg_ts_1 = require("./svg.js");
const text_width_ts_1 = require("./text-width.js");
const turns_ts_1 = require("./turns.js");
/** The gap between the plot and the labels. */
const LABEL_GAP = 16;
/** Wider names are broken into lines. */
const WIDEST_LABEL = 240;
function checkLines(lines) {
    if (lines.length === 0)
        throw new RangeError('lines must have at least one line, got none');
    const empty = lines.find(({ points }) => points.length === 0);
    if (empty)
        throw new RangeError(`the line ${empty.name} must have at least one point, got none`);
}
function curveOf({ points, steps }, x, y, most) {
    const at = ([px, py]) => [x(px), y(Math.min(py, most))];
    if (!steps)
        return points.map(at);
    return points.flatMap((point, index) => {
        const before = points[index - 1];
        return before === undefined ? [at(point)] : [at([point[0], before[1]]), at(point)];
    });
}
function stroke(d, colour, dashed = false) {
    return (0, svg_ts_1.element)('path', {
        d,
        fill: 'none',
        stroke: palette_ts_1.COLOURS[colour],
        'stroke-width': '2',
        'stroke-linejoin': 'round',
        'stroke-dasharray': dashed === true ? '6 4' : dashed ? dashed.join(' ') : undefined,
    });
}
/** A line; a circle for a single point. */
function drawn(curve, { colour, dashed }) {
    const [[cx, cy], ...others] = curve;
    return others.length === 0
        ? (0, svg_ts_1.element)('circle', { cx, cy, r: 3 })
        : stroke((0, svg_ts_1.pathThrough)(curve), colour, dashed);
}
/** Connects the end of a line with its label, which may be at another height. */
function leader(right, from, to, colour) {
    const d = (0, svg_ts_1.pathThrough)([
        [right + 1, from],
        [right + LABEL_GAP - 3, to],
    ]);
    return (0, svg_ts_1.element)('path', { d, fill: 'none', stroke: palette_ts_1.COLOURS[colour], 'stroke-opacity': '0.6' });
}
/**
 * Lines with their names at their ends. The figure is as high as the names need. Lines that coincide are drawn in turns,
 * so that each is visible.
 * @throws RangeError if there are no lines, or a line has no points
 */
function lineChart(chart) {
    const { lines, bands = [] } = chart;
    checkLines(lines);
    const names = lines.map(({ name }) => (0, text_width_ts_1.wrap)(name, frame_ts_1.NAME, WIDEST_LABEL));
    const heights = names.map((name) => name.length * frame_ts_1.LINE_HEIGHT);
    const plot = (0, axes_ts_1.plotOf)(chart, {
        ...chart,
        last: lines.reduce((last, { points }) => points.reduce((most, [px]) => Math.max(most, px), last), 0),
        highest: lines.reduce((last, { points }) => points.reduce((most, [, py]) => Math.max(most, py), last), 0),
        right: frame_ts_1.WIDTH - frame_ts_1.MARGIN - LABEL_GAP - Math.max(...names.flat().map((text) => (0, text_width_ts_1.widthOf)(text, frame_ts_1.NAME))),
        height: heights.reduce((sum, height) => sum + height, 0),
    });
    const { x, y, left, right, top, bottom, most, figureHeight } = plot;
    const curves = lines.map((line) => curveOf(line, x, y, most));
    const ends = curves.map((curve) => curve.at(-1)[1]);
    // From half a line above the plot to half a line below it, clear of the texts of the axes.
    const places = (0, labels_ts_1.spread)(ends, heights, top - frame_ts_1.LINE_HEIGHT / 2, bottom + frame_ts_1.LINE_HEIGHT / 2);
    const labelled = lines.map((line, at) => (0, svg_ts_1.element)('g', { 'aria-label': line.name, fill: palette_ts_1.COLOURS[line.colour] }, drawn(curves[at], line), leader(right, ends[at], places[at], line.colour), ...(0, frame_ts_1.block)(names[at], right + LABEL_GAP, places[at], { 'font-weight': 600 })));
    const turns = (0, turns_ts_1.turnsOf)(curves, left, right).flatMap((pieces, at) => pieces.length === 0 ? [] : stroke(pieces.map(svg_ts_1.pathThrough).join(''), lines[at].colour));
    return (0, frame_ts_1.figure)(chart, figureHeight, ...(0, bands_ts_1.drawnBands)(bands, x, plot), ...(0, axes_ts_1.drawnAxes)(plot), ...labelled, ...turns);
}
//# sourceMappingURL=line-chart.js.map