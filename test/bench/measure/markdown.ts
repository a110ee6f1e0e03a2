/** A Markdown table, padded so that it reads well in a terminal. Columns after the first are numbers. */
export function markdown(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, at) => {
    return Math.max(3, title.length, ...rows.map((row) => row[at]?.length ?? 0));
  });
  const line = (cells: readonly string[]): string => {
    const padded = widths.map((width, at) => {
      return at === 0 ? (cells[at] ?? '').padEnd(width) : (cells[at] ?? '').padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(titles), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** With separators, and a real minus sign. A dash for none. */
export function number(value: number, digits = 0): string {
  if (Number.isNaN(value)) return '–';
  const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString('en', fixed).replace(/^-0$/, '0').replace('-', '−');
}

/** A table under its title, for the benches that measure one thing once. */
export function printTable(
  title: string,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  console.log(`**${title}**\n\n${markdown(titles, rows)}\n`);
}
