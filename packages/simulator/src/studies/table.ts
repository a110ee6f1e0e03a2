import { escapeControls } from './escape-controls.ts';

/** Rows of text under headings. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Explains the headings. */
  readonly legend?: string;
}

const GAP = '  ';

/** The table as text. The first column is aligned left, the others right. Names of policies may come from a stranger's file. */
export function tableText({ columns, rows: given, legend }: Table): string {
  const rows = given.map((row) => row.map(escapeControls));
  const widths = columns.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join(GAP)
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join(GAP);
  const lines = [line(columns), rule, ...rows.map(line)];
  if (legend !== undefined) lines.push('', legend);
  return `${lines.join('\n')}\n`;
}

/** Rows as comma-separated values: RFC 4180, with line feeds as line breaks. */
export function csvText(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number): string => {
    const text = String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\n')}\n`;
}
