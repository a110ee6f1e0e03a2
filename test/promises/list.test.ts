import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SLOW } from '../slow.ts';
import { PROMISES } from './list.ts';

const slow: readonly string[] = Object.values(SLOW).flat();

const words = (text: string): string => text.replace(/\s+/g, ' ');

describe.each(PROMISES.map((promise, at) => [`${at + 1}: ${promise.says}`, promise] as const))(
  '%s',
  (_, row) => {
    test('stands on its page', () => {
      expect(words(readFileSync(row.page, 'utf8'))).toContain(row.says);
    });

    test('has a mutant of one place', () => {
      expect(readFileSync(row.file, 'utf8').split(row.from)).toHaveLength(2);
      expect(row.to).not.toBe(row.from);
      expect(row.from).not.toContain('\n');
    });

    test('is held by quick tests', () => {
      expect(row.tests).not.toEqual([]);
      for (const path of row.tests) {
        expect(globSync(path)).toEqual([path]);
        expect(slow).not.toContain(path);
      }
    });
  },
);

test('each strategy has promises', () => {
  const pages = globSync('docs/strategies/*.md').filter((page) => !page.endsWith('/index.md'));
  const held = new Set(PROMISES.map(({ page }) => page));
  expect(pages.filter((page) => !held.has(page))).toEqual([]);
});
