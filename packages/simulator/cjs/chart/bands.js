"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.drawnBands = drawnBands;
const frame_ts_1 = require("./frame.js");
const svg_ts_1 = require("./svg.js");
const text_width_ts_1 = require("./text-width.js");
const APART = 12;
/**
 * The places of the names. A name is centred in its band if there is room, and it is below earlier names that it would
 * touch.
 */
function namesOf(bands, x, left, right) {
    const names = [];
    for (const { name, from, to } of bands) {
        const lines = (0, text_width_ts_1.wrap)(name, frame_ts_1.TEXT, right - left);
        const half = Math.max(...lines.map((line) => (0, text_width_ts_1.widthOf)(line, frame_ts_1.TEXT))) / 2;
        const middle = Math.max(left + half, Math.min((x(from) + x(to)) / 2, right - half));
        const beside = names.filter((other) => Math.abs(middle - other.middle) < half + other.half + APART);
        const row = Math.max(0, ...beside.map((other) => other.row + other.lines.length));
        names.push({ lines, middle, half, row });
    }
    return names;
}
/** The bands of a plot, with their names at the top. */
function drawnBands(bands, x, { left, right, top, bottom }) {
    const shades = bands.map(({ from, to }) => (0, svg_ts_1.element)('rect', {
        x: x(from),
        y: top,
        width: x(to) - x(from),
        height: bottom - top,
        'fill-opacity': '0.12',
    }));
    const names = namesOf(bands, x, left, right).flatMap(({ lines, middle, row }) => {
        const height = top + 11 + (row + (lines.length - 1) / 2) * frame_ts_1.LINE_HEIGHT;
        return (0, frame_ts_1.block)(lines, middle, height, { 'text-anchor': 'middle' });
    });
    return [...shades, ...names];
}
//# sourceMappingURL=bands.js.map