"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.plotOf = plotOf;
exports.drawnAxes = drawnAxes;
const frame_ts_1 = require("./frame.js");
const palette_ts_1 = require("./palette.js");
const scale_ts_1 = require("./scale.js");
const svg_ts_1 = require("./svg.js");
const text_width_ts_1 = require("./text-width.js");
/** The least height of the plot, and its least distance from the left edge. */
const HEIGHT = 300;
const LEFT = 72;
/** The least gap between two texts in a line. */
const APART = 12;
function widest({ ticks }) {
    return Math.max(...ticks.map((tick) => (0, text_width_ts_1.widthOf)((0, scale_ts_1.numeral)(tick), frame_ts_1.TEXT)));
}
/** The x axis, with as many ticks as have room, at most about six. */
function xScale(last, left, right) {
    const scales = [6, 5, 4, 3, 2].map((steps) => (0, scale_ts_1.linearScale)(last, left, right, (0, scale_ts_1.stepFor)(last, steps)));
    const roomy = scales.find((scale) => widest(scale) + APART <= scale(scale.ticks[1] ?? last) - left);
    return roomy ?? (0, scale_ts_1.linearScale)(last, left, right, 2 * last);
}
/** Lays out the area of the lines, with room for the texts around it. */
function plotOf(heading, needs) {
    const { last, highest, right, most = (0, scale_ts_1.roundUp)(highest) } = needs;
    const yName = (0, text_width_ts_1.wrap)(needs.y, frame_ts_1.TEXT, frame_ts_1.WIDTH - 2 * frame_ts_1.MARGIN);
    const top = (0, frame_ts_1.headingHeight)(heading) + 6 + yName.length * frame_ts_1.LINE_HEIGHT;
    const bottom = top + Math.max(HEIGHT, needs.height);
    const y = (0, scale_ts_1.linearScale)(most, bottom, top, (0, scale_ts_1.stepFor)(needs.most ?? (highest || most), 4));
    const left = Math.max(LEFT, frame_ts_1.MARGIN + widest(y) + 8);
    const x = xScale(last || 1, left, right);
    const xName = (0, text_width_ts_1.wrap)(needs.x, frame_ts_1.TEXT, right - left);
    const figureHeight = bottom + 34 + xName.length * frame_ts_1.LINE_HEIGHT;
    return { left, right, top, bottom, x, y, most, xName, yName, figureHeight };
}
/** The grid, its numbers, and the names of the axes. */
function drawnAxes({ left, right, top, bottom, x, y, xName, yName }) {
    const grid = y.ticks.flatMap((tick) => [
        (0, svg_ts_1.element)('line', {
            x1: left,
            x2: right,
            y1: y(tick),
            y2: y(tick),
            stroke: palette_ts_1.COLOURS.grey,
            'stroke-opacity': tick === 0 ? '0.8' : '0.25',
        }),
        (0, svg_ts_1.label)((0, scale_ts_1.numeral)(tick), { x: left - 8, y: y(tick) + 5, 'text-anchor': 'end' }),
    ]);
    const marks = x.ticks
        .filter((tick) => x(tick) + (0, text_width_ts_1.widthOf)((0, scale_ts_1.numeral)(tick), frame_ts_1.TEXT) / 2 <= frame_ts_1.WIDTH)
        .map((tick) => (0, svg_ts_1.label)((0, scale_ts_1.numeral)(tick), { x: x(tick), y: bottom + 22, 'text-anchor': 'middle' }));
    const above = top - 18 - ((yName.length - 1) * frame_ts_1.LINE_HEIGHT) / 2;
    const below = bottom + 36 + ((xName.length - 1) * frame_ts_1.LINE_HEIGHT) / 2;
    const names = [
        ...(0, frame_ts_1.block)(yName, frame_ts_1.MARGIN, above),
        ...(0, frame_ts_1.block)(xName, (left + right) / 2, below, { 'text-anchor': 'middle' }),
    ];
    return [...grid, ...marks, ...names];
}
//# sourceMappingURL=axes.js.map