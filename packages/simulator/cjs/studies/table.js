"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.tableText = tableText;
exports.csvText = csvText;
const GAP = '  ';
/** The table as text. The first column is aligned left, the others right. */
function tableText({ columns, rows, legend }) {
    const widths = columns.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)));
    const line = (cells) => cells
        .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    })
        .join(GAP)
        .trimEnd();
    const rule = widths.map((width) => '─'.repeat(width)).join(GAP);
    const lines = [line(columns), rule, ...rows.map(line)];
    if (legend !== undefined)
        lines.push('', legend);
    return `${lines.join('\n')}\n`;
}
/** Rows as comma-separated values: RFC 4180, with line feeds as line breaks. */
function csvText(columns, rows) {
    const cell = (value) => {
        const text = String(value);
        return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return `${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\n')}\n`;
}
//# sourceMappingURL=table.js.map