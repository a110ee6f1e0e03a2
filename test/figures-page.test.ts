import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandsOf, folded, markdownOf, withFolds, withTable } from './bench/measure/figures-page.ts';

const table = (rows: number): string => `| a | b |\n| - | - |\n${'| 1 | 2 |\n'.repeat(rows)}`;
const page = (printed: string): string =>
  `# Page\n\n\`\`\`sh\nnpx -y pnpm@12 bench path\n\`\`\`\n\n<!-- figures -->\n${printed}<!-- /figures -->\n`;

test('the line that opens a table has the first figures of ebb in it', () => {
  const rows = [
    '| **A stub** | | | |',
    '| bare | 0 | 1 | 2 |',
    '| `ebb`, a bucket | 3 | 4 | 5 |',
    '| ebb | 6 | 7 | 8 |',
  ];
  const text = [
    '| | ns | MB | × |',
    '|-|-|-|-|',
    ...rows,
    '| x | | | |',
    '| y | | | |',
    '| z | | | |',
    '',
  ].join('\n');
  expect(folded(text)).toContain('<summary>7 rows. A stub, ebb, a bucket: ns: 3; MB: 4</summary>');
});

test('a new table takes the place of the folded one', () => {
  const old = withFolds(page(table(9)));
  expect(withTable(old, 'bench path', `\n${table(8)}\n\n`)).toBe(withFolds(page(table(8))));
  expect(commandsOf(old)).toEqual(['bench path']);
});

test('a table of the simulator becomes one of Markdown, and its legend a list', () => {
  const printed = [
    'rule     used  first 10 s',
    '───────  ────  ──────────',
    'a rule   10 %           —',
    'another               1 s',
    '',
    'used: of all',
    'first 10 s: refused',
    '',
  ].join('\n');
  const [head, , ...rest] = markdownOf(printed).split('\n');
  expect([head, ...rest]).toEqual([
    '| rule    | used | first 10 s |',
    '| a rule  | 10 % |          — |',
    '| another |      |        1 s |',
    '',
    '- used: of all',
    '- first 10 s: refused',
    '',
  ]);
});

test('each command of the page says what its figures cover', () => {
  const text = readFileSync('docs/figures.md', 'utf8');
  const covered = [...text.matchAll(/^Covers: .+\.\n\n```sh\nnpx -y pnpm@12 (.+)\n/gm)].map(
    ([, command]) => command,
  );
  expect(covered).toEqual(commandsOf(text));
});

test('the page of figures is folded: `pnpm bench figures path` does it', () => {
  const text = readFileSync('docs/figures.md', 'utf8');
  expect(withFolds(text)).toBe(text);
});

test('the numbers at the start of the page are those of ebb in the sections that they name', () => {
  const figures = readFileSync('docs/figures.md', 'utf8');
  const rows = [...figures.matchAll(/^\| .+ \| (?:× )?([\d.]+)(?: ns| %)? \| \[.+\]\(#([\w-]+)\) \|$/gm)];
  const sections = new Map(
    figures
      .split(/^#+ /m)
      .map((section) => [section.split('\n')[0]?.toLowerCase().replaceAll(' ', '-'), section]),
  );
  const isShown = ([, value = '', anchor]: RegExpMatchArray): boolean =>
    (sections.get(anchor) ?? '')
      .split('\n')
      .some((line) => /^\| ebb +\|/.test(line) && line.includes(` ${value} `));
  expect(rows.filter((row) => !isShown(row)).map(([line]) => line)).toEqual([]);
  expect(rows).toHaveLength(6);
});
