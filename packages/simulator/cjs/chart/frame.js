"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.LINE_HEIGHT = exports.NAME = exports.TEXT = exports.MARGIN = exports.WIDTH = void 0;
exports.headingHeight = headingHeight;
exports.figure = figure;
exports.block = block;
const palette_ts_1 = require("./palette.js");
const svg_ts_1 = require("./svg.js");
const text_width_ts_1 = require("./text-width.js");
exports.WIDTH = 760;
exports.MARGIN = 16;
const TITLE = { size: 19, bold: true };
const NOTE = { size: 13 };
/** The type of ordinary text. */
exports.TEXT = { size: 14 };
/** The type of names. */
exports.NAME = { size: 14, bold: true };
/** The line height of these two. */
exports.LINE_HEIGHT = 18;
function headingLines({ title, note }) {
    const width = exports.WIDTH - 2 * exports.MARGIN;
    return { titles: (0, text_width_ts_1.wrap)(title, TITLE, width), notes: (0, text_width_ts_1.wrap)(note, NOTE, width) };
}
/** The height of the heading. */
function headingHeight(heading) {
    const { titles, notes } = headingLines(heading);
    return exports.MARGIN + titles.length * 24 + notes.length * 18 + 14;
}
/** A whole figure. It has no background, and its colours are readable on light and on dark pages. */
function figure(heading, height, ...children) {
    const { titles, notes } = headingLines(heading);
    const lines = [
        ...titles.map((text, at) => (0, svg_ts_1.label)(text, { x: exports.MARGIN, y: exports.MARGIN + 14 + at * 24, 'font-size': TITLE.size, 'font-weight': 600 })),
        ...notes.map((text, at) => (0, svg_ts_1.label)(text, { x: exports.MARGIN, y: exports.MARGIN + 12 + titles.length * 24 + at * 18, 'font-size': NOTE.size })),
    ];
    const attributes = {
        xmlns: 'http://www.w3.org/2000/svg',
        viewBox: `0 0 ${exports.WIDTH} ${height}`,
        width: exports.WIDTH,
        height,
        role: 'img',
        'aria-label': `${heading.title}. ${heading.note}`,
        'font-family': "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif",
        'font-size': exports.TEXT.size,
        fill: palette_ts_1.COLOURS.grey,
    };
    return `${(0, svg_ts_1.element)('svg', attributes, ...lines, ...children)}\n`;
}
/** A text of several lines. `middle` is the middle of the whole block. */
function block(lines, x, middle, attributes = {}) {
    const first = middle + 5 - ((lines.length - 1) * exports.LINE_HEIGHT) / 2;
    return lines.map((text, at) => (0, svg_ts_1.label)(text, { x, y: first + at * exports.LINE_HEIGHT, ...attributes }));
}
//# sourceMappingURL=frame.js.map