import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CHECKS } from './checks.ts';
import { blocksOf } from './page-blocks.ts';

const PAGE = 'CONTRIBUTING.md';
const page = readFileSync(PAGE, 'utf8');

/** The names in the first column of the table below a head. */
function rowsOf(head: string): string[] {
  const [, rest = ''] = page.split(`\n| ${head} |\n|---|---|\n`);
  const [table = ''] = /^(?:\|.*\n)+/.exec(rest) ?? [];
  return [...table.matchAll(/^\| `(.+?)` \|/gm)].map(([, name = '']) => name);
}

test('it names each check, and no other', () => {
  const named = [...page.matchAll(/(?:`|pnpm@12 )check ([a-z]+)/g)].map(([, name = '']) => name);
  expect([...new Set(named)].sort()).toEqual(Object.keys(CHECKS).sort());
});

test('its table of commands has each script of the root', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
  expect(rowsOf('command | what it does').sort()).toEqual(Object.keys(scripts).sort());
});

describe('what it says to run and to write exists', () => {
  const commands = blocksOf(PAGE)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.trim().split('\n'))
    .map((line) => line.replace(/ +#.*$/, ''));
  const tests = globSync('{packages,test}/**/*.test.ts', { exclude: ['**/node_modules/**'] });
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };

  test.each(commands)('%s', (command) => {
    const [, filters] = /^npx vitest (?:run )?(.+?)(?: -t .*)?$/.exec(command) ?? [];
    for (const filter of filters?.split(' ') ?? []) {
      expect(
        tests.filter((path) => path.includes(filter)),
        filter,
      ).not.toEqual([]);
    }
    if (filters !== undefined) return;
    const [, folder, script = '', argument = ''] =
      /^(?:[A-Z_]+=\S+ )?npx -y pnpm@12 (?:-C (\S+) (?:exec|run) )?(\S+) ?(\S*)/.exec(command) ?? [];
    if (folder === undefined) expect(Object.keys(scripts)).toContain(script);
    else expect(readFileSync(`${folder}/package.json`, 'utf8')).toMatch(new RegExp(`"@?${script}`));
    if (script === 'check') expect(Object.keys(CHECKS)).toContain(argument);
  });

  const files = [...page.matchAll(/`((?:packages|test|examples|docs)\/[\w./*-]+)`/g)].map(
    ([, path]) => path ?? '',
  );

  test.each(files.filter((path) => !path.includes('NAME')))('%s', (path) => {
    // git has none of these: what is built, and a folder of the reader's own.
    if (/\/(dist|stage)$|^examples\/try$/.test(path)) return;
    expect(path.includes('*') ? globSync(path).length > 0 : existsSync(path)).toBe(true);
  });
});
