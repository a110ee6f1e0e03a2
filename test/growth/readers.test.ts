import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { READERS } from './readers.ts';
import { READINGS } from './readings.ts';

/** What shows that a file reads what others have written, and what it does then. */
const SIGNS: Readonly<Record<string, RegExp>> = {
  'reads a header':
    /\bgetHeader\(|\bheaders\??\.get\(|\b(?:header|shortHeader|responseHeader)\((?!name: string)/,
  'reads a body': /\.(?:text|json|arrayBuffer|bytes|formData)\(\)|\bgetReader\(|\bJSON\.parse\(|\.read\(\)/,
  'reads a file': /\b(?:readFile|createReadStream|openAsBlob)(?:Sync)?\(/,
  'takes a text apart': /\.(?:split|match|matchAll|exec)\(|\.test\((?:text|message)\)/,
};

/** The same in @ebb/valkey. */
const OF_STORES: Readonly<Record<string, RegExp>> = {
  ...SIGNS,
  'reads a reply or an error of a store':
    /\b(?:readNumbers|parseReply|parseState|runScript|messageOf|withoutSecrets)\(/,
};

/** They draw and print what they have made themselves, are for tests, or read the programs of whoever starts them. */
const OTHERS = /^packages\/(?:simulator\/src\/(?:chart|studies)|testing|migrate)\//;

const sources = globSync('packages/*/src/**/*.ts').filter(
  (path) => !/\.(?:test|bench|test-d)\.ts$/.test(path) && !OTHERS.test(path),
);

/** What a file does, without what its comments say. */
function signsOf(path: string): string[] {
  const code = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
  const signs = path.startsWith('packages/valkey/') ? OF_STORES : SIGNS;
  return Object.keys(signs).filter((sign) => signs[sign]?.test(code));
}

const found = new Map(
  sources
    .map((path) => [path.replace(/^packages\/(\w+)\/src\//, '$1/'), signsOf(path)] as const)
    .filter(([, signs]) => signs.length > 0),
);

test.each([...found])('%s, which %j, is a known reader', (path) => {
  const todo = `${path} reads what others have written: give test/growth/readers.ts the rows of \
test/growth/readings.ts that count its instructions, or the reason why its time cannot grow faster than what it reads`;
  expect(Object.keys(READERS), todo).toContain(path);
});

test('every known reader still reads', () => {
  expect(Object.keys(READERS).filter((path) => !found.has(path))).toEqual([]);
});

test('the rows of each reader exist, and each row has a reader', () => {
  const rows = Object.values(READERS).flatMap((of) => (typeof of === 'string' ? [] : of));
  const names = READINGS.map(([name]) => name);
  expect(rows.filter((row) => !names.includes(row))).toEqual([]);
  expect(names.filter((name) => !rows.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
