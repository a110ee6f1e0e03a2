import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const report = readFileSync('docs/api/core.api.md', 'utf8');
const names = new Set(
  [...report.matchAll(/^export (?:abstract |declare )*(?:\w+ (\w+)|\{ (\w+) \})/gm)].map(
    ([, declared, listed]) => declared ?? listed ?? '',
  ),
);

const pages = ['README.md', ...globSync('packages/*/README.md'), ...globSync('docs/*.md')];
const code = pages.flatMap((page) => readFileSync(page, 'utf8').match(/```.*?```|`[^`\n]+`/gs) ?? []);
const words = new Set(code.flatMap((text) => text.split(/[^\w$]+/)));

test('every name of @ebb/core stands in the code of a page', () => {
  expect(names).toContain('createPolicy');
  // A name that is not worth a page is not exported from here.
  expect([...names].filter((name) => !words.has(name))).toEqual([]);
});
