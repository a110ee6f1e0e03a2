import { readFileSync } from 'node:fs';

/** What stands below a heading, up to the next one of the same level. */
export function sectionOf(page: string, heading: string): string {
  const [, text = ''] = readFileSync(page, 'utf8').split(`\n## ${heading}\n`);
  const [section = ''] = text.split('\n## ');
  return section;
}

/** The cells of the tables of a section, without their heads. */
export function tablesOf(page: string, heading: string): string[][][] {
  return (sectionOf(page, heading).match(/(?:^\|.*\n)+/gm) ?? []).map(cellsOf);
}

function cellsOf(table: string): string[][] {
  const [, , ...rows] = table.trim().split('\n');
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}
