"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.barChart = barChart;
const frame_ts_1 = require("./frame.js");
const palette_ts_1 = require("./palette.js");
const scale_ts_1 = require("./scale.js");
const svg_ts_1 = require("./svg.js");
const text_width_ts_1 = require("./text-width.js");
const ROW_HEIGHT = 26;
const BAR_HEIGHT = 14;
/** The gaps between a bar and its text, and between columns. */
const GAP = 8;
const COLUMN_GAP = 16;
/** Wider names are broken into lines. */
const WIDEST_NAME = 240;
/** The least length of the longest bar of a column. */
const SHORTEST = 24;
function widest(texts, type) {
    return Math.max(0, ...texts.map((text) => (0, text_width_ts_1.widthOf)(text, type)));
}
function sumOf(bar) {
    return (bar?.parts ?? []).reduce((sum, { value }) => sum + value, 0);
}
/** The length of the bar of a value, in a column of this width. */
function scaleOf({ columns, rows }, column, width) {
    const bars = rows.map((row) => row.bars[column]);
    const texts = widest(bars.map((bar) => bar?.text ?? ''), frame_ts_1.TEXT);
    const room = width - COLUMN_GAP - GAP - texts;
    if (room < SHORTEST) {
        throw new RangeError(`columns must leave room for "${columns[column]}", got ${columns.length} columns in ${frame_ts_1.WIDTH} pixels`);
    }
    const most = (0, scale_ts_1.roundUp)(Math.max(0, ...bars.map(sumOf)), 10);
    return (value) => (value / most) * room;
}
/**
 * Rows of bars, with a column for each measure. Long names and headings are broken into lines.
 * @throws RangeError if the texts of the columns leave no room for bars
 */
function barChart(chart) {
    const { columns, rows } = chart;
    const names = rows.map(({ name }) => (0, text_width_ts_1.wrap)(name, frame_ts_1.NAME, WIDEST_NAME));
    const left = frame_ts_1.MARGIN + widest(names.flat(), frame_ts_1.NAME) + 12;
    const columnWidth = (frame_ts_1.WIDTH - frame_ts_1.MARGIN - left + COLUMN_GAP) / columns.length;
    const scales = columns.map((_, column) => scaleOf(chart, column, columnWidth));
    const heads = columns.map((name) => (0, text_width_ts_1.wrap)(name, frame_ts_1.TEXT, columnWidth - COLUMN_GAP));
    const headLines = Math.max(...heads.map((lines) => lines.length));
    const top = (0, frame_ts_1.headingHeight)(chart) + 12 + headLines * frame_ts_1.LINE_HEIGHT;
    const drawnHeads = heads.flatMap((lines, column) => {
        const middle = top - 17 - ((lines.length - 1) / 2) * frame_ts_1.LINE_HEIGHT;
        return (0, frame_ts_1.block)(lines, left + column * columnWidth, middle);
    });
    let bottom = top;
    const drawn = rows.map(({ name, bars }, at) => {
        const lines = names[at];
        const height = ROW_HEIGHT + (lines.length - 1) * frame_ts_1.LINE_HEIGHT;
        const middle = bottom + height / 2 - 4;
        bottom += height;
        const pieces = bars.flatMap(({ parts, text }, column) => {
            const width = scales[column];
            let x = left + column * columnWidth;
            const drawnParts = parts.map(({ value, colour }) => {
                const part = { x, y: middle - 7, width: width(value), height: BAR_HEIGHT, fill: palette_ts_1.COLOURS[colour] };
                x += part.width;
                return (0, svg_ts_1.element)('rect', part);
            });
            return [...drawnParts, ...(0, frame_ts_1.block)([text], x + (parts.length > 0 ? GAP : 0), middle)];
        });
        const texts = bars.map(({ text }, column) => `${columns[column]}: ${text}`).join(', ');
        return (0, svg_ts_1.element)('g', { 'aria-label': `${name}. ${texts}` }, ...(0, frame_ts_1.block)(lines, left - 12, middle, { 'text-anchor': 'end', 'font-weight': 600 }), ...pieces);
    });
    return (0, frame_ts_1.figure)(chart, bottom + 8, ...drawnHeads, ...drawn);
}
//# sourceMappingURL=bar-chart.js.map