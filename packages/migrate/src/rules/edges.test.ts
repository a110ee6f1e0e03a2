import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bodyOf } from '../../test/body.ts';
import { migrate } from './migrate.ts';

const folder = new URL('../../test/edges/', import.meta.url).pathname;
const files = globSync('*.txt', { cwd: folder }).sort();

/** The rows of a file: what each is about, its path, the program, and what it becomes without imports. */
function rowsOf(file: string): [name: string, path: string, before: string, after: string][] {
  const [load = '', ...rows] = readFileSync(folder + file, 'utf8').split(/^=== /m);
  return rows.map((row) => {
    const [, name = '', path = '', program = '', after = ''] =
      /^([^\n]+), (\S+)\n(.*)--- becomes\n(.*)$/s.exec(row) ?? [];
    const before = /^import |require\(/m.test(program) ? program : load + program;
    return [name, path, before, after.trimEnd()];
  });
}

test('there are rows for all libraries', () => {
  expect(files.flatMap(rowsOf).length).toBeGreaterThanOrEqual(70);
});

describe.each(files)('%s', (file) => {
  test.each(rowsOf(file))('%s', (_, path, before, after) => {
    const { text } = migrate(basename(path), before);
    expect(bodyOf(text)).toBe(after);
    expect(migrate(basename(path), text).text, 'a second run').toBe(text);
  });
});

describe('lines that stay', () => {
  const LOAD = "import pRetry from 'p-retry';";

  test('lines end as they did', () => {
    const { text } = migrate('a.mjs', `${LOAD}\r\npRetry(() => load());\r\n`);
    expect(text).toContain('likePRetry());\r\n');
    expect(text.split('\r\n').length).toBe(text.split('\n').length);
  });

  test('each line ends as it did, if some end otherwise', () => {
    const kept = 'const a = 1;\nconst b = `\r\n`;\r\n\nconst c = 3;\r\r\n// last';
    const { text } = migrate('a.mjs', `${LOAD}\r\nconst first = 0;\r\npRetry(() => load());\r\n${kept}`);
    expect(text.endsWith(`\r\n${kept}`)).toBe(true);
    expect(text).toContain('\r\nretry(() => load(), likePRetry());\r\n');
    expect(text).toContain('const first = 0;\r\n');
  });

  test('a byte order mark stays the first character, and no other', () => {
    const { text } = migrate('a.cjs', "\ufeffrequire('p-retry')(run);\n");
    expect(text.lastIndexOf('\ufeff')).toBe(0);
    expect(text).toContain('\nretry(({ attempt }) => run(attempt), likePRetry());\n');
  });

  const USE = "import pThrottle from 'p-throttle';\n";
  const todo = (text: string): string =>
    `// TODO(ebb): p-throttle stays here: the option [${text}]: 1 has no name\n`;

  test.each([
    [
      'code over several lines',
      'const ids = pThrottle({ [a ||\n  // b\n  c()]: 1 });\n',
      `${todo('a || // b c()')}const ids = pThrottle({ [a ||\n  // b\n  c()]: 1 });\n`,
    ],
    [
      'code with what ends a line elsewhere',
      "const ids = pThrottle({ [f('\u2028\u0085\u001b[31m\u202e')]: 1 });\n",
      `${todo("f(' [31m ')")}const ids = pThrottle({ [f('\u2028\u0085\u001b[31m\u202e')]: 1 });\n`,
    ],
    [
      'a statement on the last line of a text',
      'const a = `\nb`; const ids = pThrottle({ [c()]: 1 });\n',
      `const a = \`\nb\`; \n${todo('c()')}const ids = pThrottle({ [c()]: 1 });\n`,
    ],
    [
      'a statement on a line of JSX',
      'export const a = () => (\n  <p>\n    b {of(() => { const ids = pThrottle({ [d()]: 1 }); })}\n  </p>\n);\n',
      `${todo('d()')}export const a = () => (\n  <p>\n    b {of(() => { const ids = pThrottle({ [d()]: 1 }); })}\n  </p>\n);\n`,
    ],
  ])('a TODO above %s is a comment and nothing else', (_, before, after) => {
    const { text } = migrate('a.jsx', `${USE}${before}`);
    expect(text).toBe(`${USE}${after}`);
    expect(migrate('a.jsx', text).text).toBe(text);
  });
});
