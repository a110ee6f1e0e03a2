import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrate } from './migrate.ts';

const folder = new URL('../../test/edges/', import.meta.url).pathname;
const files = globSync('*.txt', { cwd: folder }).sort();

/** The rows of a file: what each is about, its path, the program, and what it becomes without imports and helpers. */
function rowsOf(file: string): [name: string, path: string, before: string, after: string][] {
  const [, ...rows] = readFileSync(folder + file, 'utf8').split(/^=== /m);
  return rows.map((row) => {
    const [, name = '', path = '', before = '', after = ''] =
      /^([^\n]+), (\S+)\n(.*)--- becomes\n(.*)$/s.exec(row) ?? [];
    return [name, path, before, after.trimEnd()];
  });
}

const HELPER = /^(\/\*\*|const (is\w+|exponentialDelay) =|type (FailedAttempt|SettledFetch) =)/;
const LOADS = /^(import|const \{.*\} = require)/;

function bodyOf(text: string): string {
  const paragraphs = text.split('\n\n').filter((one) => !HELPER.test(one) && !LOADS.test(one));
  return paragraphs.join('\n\n').trimEnd();
}

test('there are rows for all libraries', () => {
  expect(files.flatMap(rowsOf).length).toBeGreaterThanOrEqual(70);
});

describe.each(files)('%s', (file) => {
  test.each(rowsOf(file))('%s', (_, path, before, after) => {
    expect(bodyOf(migrate(basename(path), before).text)).toBe(after);
  });
});

test('lines end as they did', () => {
  const { text } = migrate('a.mjs', "import pRetry from 'p-retry';\r\npRetry(() => load());\r\n");
  expect(text).toContain('likePRetry);\r\n');
  expect(text.split('\r\n').length).toBe(text.split('\n').length);
});
