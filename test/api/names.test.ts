import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The exported names of a door that match a pattern. */
function namesOf(door: string, pattern: RegExp): string[] {
  const report = readFileSync(`docs/api/${door}.api.md`, 'utf8');
  return [...report.matchAll(pattern)].map(([, declared, listed]) => declared ?? listed ?? '');
}

const pages = ['README.md', ...globSync('packages/*/README.md'), ...globSync('docs/{,core/}*.md')];
const code = pages.flatMap((page) => readFileSync(page, 'utf8').match(/```.*?```|`[^`\n]+`/gs) ?? []);
const words = new Set(code.flatMap((text) => text.split(/[^\w$]+/)));

test('every name of @ebb/core is on a page', () => {
  const names = namesOf('core', /^export (?:abstract |declare )*(?:\w+ (\w+)|\{ (\w+) \})/gm);
  expect(names).toContain('createPolicy');
  expect(names.filter((name) => !words.has(name))).toEqual([]);
});

test('every function, class and constant of @ebb/simulator is on a page', () => {
  const names = namesOf('simulator', /^export (?:function|class|const) (\w+)/gm);
  expect(names).toContain('simulate');
  expect(names.filter((name) => !words.has(name))).toEqual([]);
});
