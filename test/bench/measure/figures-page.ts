import { markdown } from './markdown.ts';

const START = '<!-- figures -->';
const END = '<!-- /figures -->';

/** A command in a block of its own, and the output of its last run. */
const PLACE =
  /^```sh\nnpx -y pnpm@12 ((?:bench|simulate) [^\n]+)\n```\n\n<!-- figures -->\n(.*?)<!-- \/figures -->$/gms;

/** A whole table that is not folded yet. */
const TABLE = /(?<!<\/summary>\n\n|\|\n)(?:^\|.*\n)+/gm;

/** The longest table, in rows, that is shown as it is. */
const MOST_SHOWN = 6;

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.replace(/[*`]/g, '').trim());

/** How many rows a table has, and what its first row of ebb says. */
function summaryOf(table: string): string {
  const [head = [], , ...rows] = table.trim().split('\n').map(cellsOf);
  const at = rows.findIndex(([name = '', figure]) => /^ebb\b/.test(name) && figure !== '');
  const [name, ...figures] = rows[at] ?? [];
  if (name === undefined) return `${rows.length} rows`;
  const group = rows.slice(0, at).findLast((cells) => cells.slice(1).every((cell) => cell === ''))?.[0];
  const said = figures.slice(0, 2).map((figure, column) => `${head[column + 1]}: ${figure}`);
  return `${rows.length} rows. ${group === undefined ? '' : `${group}, `}${name}: ${said.join('; ')}`;
}

/** Long tables below a line that opens them, with the figures of ebb. GitHub needs the empty lines. */
export function folded(text: string): string {
  return text.replace(TABLE, (table) => {
    if (table.trim().split('\n').length - 2 <= MOST_SHOWN) return table;
    return `<details>\n<summary>${summaryOf(table)}</summary>\n\n${table}\n</details>\n`;
  });
}

/** The page with the long tables between its marks folded. */
export function withFolds(page: string): string {
  return page.replace(PLACE, (place) => folded(place));
}

/** The commands of a page that have a table, without `pnpm`. */
export function commandsOf(page: string): string[] {
  return [...page.matchAll(PLACE)].map(([, command = '']) => command);
}

/** The page with what a command printed in the place of the table below it. */
export function withTable(page: string, command: string, printed: string): string {
  return page.replace(PLACE, (place, own: string) => {
    if (own !== command) return place;
    return `\`\`\`sh\nnpx -y pnpm@12 ${command}\n\`\`\`\n\n${START}\n${folded(`${printed.trim()}\n`)}${END}`;
  });
}

/** A table of the simulator, and the lines that explain its headings, as Markdown. */
export function markdownOf(text: string): string {
  const [head = '', rule = '', ...rest] = text.split('\n');
  const spans = [...rule.matchAll(/─+/g)].map(({ index, 0: { length } }) => [index, index + length] as const);
  const cells = (line: string): string[] => spans.map(([from, to]) => line.slice(from, to).trim());
  const end = rest.indexOf('');
  const legend = rest.slice(end).filter((line) => line !== '');
  return `${markdown(cells(head), rest.slice(0, end).map(cells))}\n\n${legend.map((line) => `- ${line}\n`).join('')}`;
}
