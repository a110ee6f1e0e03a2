import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandsOf, withFolds } from './bench/measure/figures-page.ts';

test('each command of the page says what its figures cover', () => {
  const text = readFileSync('docs/figures.md', 'utf8');
  const covered = [...text.matchAll(/^Covers: .+\.\n\n```sh\nnpx -y pnpm@12 (.+)\n/gm)].map(
    ([, command]) => command,
  );
  expect(covered).toEqual(commandsOf(text));
});

test('the page of figures is folded: `pnpm bench figures size` does it', () => {
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
