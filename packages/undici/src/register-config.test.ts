import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findConfig, loadPolicy } from './register-config.ts';

/** The files of a project, by path. */
type Files = Readonly<Record<string, string>>;

/** A new project. Its package.json is where the search for a config ends. */
function project(files: Files): string {
  const home = mkdtempSync(join(tmpdir(), 'ebb-config-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  for (const [name, text] of Object.entries({ 'package.json': '{}', ...files })) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

test.each<[what: string, files: readonly string[], from: string, name: string | undefined, found?: string]>([
  ['none', [], '', undefined],
  ['one', ['ebb.config.json'], '', undefined, 'ebb.config.json'],
  ['an empty EBB_CONFIG', ['ebb.config.json'], '', '', 'ebb.config.json'],
  ['EBB_CONFIG, before one that is found', ['ebb.config.json', 'a/b.cjs'], '', 'a/b.cjs', 'a/b.cjs'],
  ['one in a folder above', ['ebb.config.cjs', 'a/b/c.txt'], 'a/b', undefined, 'ebb.config.cjs'],
  ['the nearest', ['ebb.config.cjs', 'a/ebb.config.ts'], 'a', undefined, 'a/ebb.config.ts'],
  ['one above the nearest package.json', ['ebb.config.json', 'a/package.json'], 'a', undefined],
])('a config is found: %s', (_, files, from, name, found) => {
  const home = project(Object.fromEntries(files.map((file) => [file, '{}'])));
  expect(findConfig(join(home, from), name)).toBe(found && join(home, found));
});

const TYPED = 'export default { maxRetries: 7 } satisfies object;';
const COMMON = 'module.exports = { maxRetries: 7 };';
const ES = 'export default { maxRetries: 7 };';

test.each<[name: string, text: string, packageJson?: string]>([
  ['a.json', '{ "maxRetries": 7 }'],
  ['a.ts', TYPED, '{ "type": "module" }'],
  ['a.ts', TYPED, '{ "type": "commonjs" }'],
  ['a.mts', TYPED],
  ['a.js', ES],
  ['a.js', ES, '{ "type": "commonjs" }'],
  ['a.js', COMMON],
  ['a.mjs', ES],
  ['a.cjs', COMMON],
  ['a.cjs', 'exports.__esModule = true; exports.default = { maxRetries: 7 };'],
  ['a.mjs', 'export default () => ({ maxRetries: 7 });'],
])('a config %s is loaded: %s', (name, text, packageJson = '{}') => {
  const home = project({ [name]: text, 'package.json': packageJson });
  expect(loadPolicy(join(home, name)).maxRetries).toBe(7);
});

describe('a fault is an error that names the file', () => {
  const got = 'createPolicy: options must be an object, got';
  const PREFIX = /^@ebb\/undici\/register: /;

  test.each<[name: string, text: string, said: string]>([
    ['a.json', '{ "retries": 3 }', ': createPolicy has no option "retries"; it takes '],
    ['a.json', '{ "backoff": "exponential" }', ': createPolicy: backoff must be a function, got '],
    ['a.json', 'null', `: ${got} null`],
    ['a.json', '[]', `: ${got} an array`],
    ['a.json', '{', ' cannot be loaded: '],
    [
      'a.mjs',
      'export default { maxRetries: -1 }',
      ': createPolicy: maxRetries must be a whole number ≥ 0, got -1',
    ],
    ['a.mjs', 'export default (async () => ({ maxRetries: 1 }))()', `: ${got} a promise`],
    ['a.mjs', "export default Promise.reject(new Error('no key'))", `: ${got} a promise`],
    ['a.mjs', 'export default {', ' cannot be loaded: Unexpected'],
    ['a.mjs', "import 'none'", " cannot be loaded: Cannot find package 'none'"],
    ['a.mjs', "throw new Error('no key')", ' cannot be loaded: no key'],
    ['a.mjs', 'export const maxRetries = 3', ' has no default export'],
    [
      'a.mjs',
      'await 1; export default {}',
      ' cannot be loaded: it uses top-level await, and is loaded synchronously',
    ],
    [
      'a.mjs',
      'export default async () => { throw new Error() }',
      ': its function returns a promise, and must return options',
    ],
    ['a.mjs', "export default () => { throw new Error('no key') }", ': its function threw: no key'],
    ['a.mjs', 'export default () => {}', ': its function returns undefined'],
    [
      'a.cjs',
      'export default {}',
      ' cannot be loaded: a .cjs file is CommonJS, and it has the syntax of an ES module',
    ],
  ])('%s: %s', (name, text, said) => {
    const path = join(project({ [name]: text }), name);
    expect(() => loadPolicy(path)).toThrow(PREFIX);
    expect(() => loadPolicy(path)).toThrow(path + said);
  });

  test.each<[what: string, files: readonly string[], name: string | undefined, said: string]>([
    [
      'two configs',
      ['ebb.config.mjs', 'ebb.config.json'],
      undefined,
      'ebb.config.mjs and ebb.config.json; keep one',
    ],
    ['a missing file', [], 'none.json', 'none.json, which does not exist'],
    ['another format', ['ebb.yaml'], 'ebb.yaml', 'ebb.yaml, which is not one of .ts, '],
  ])('%s', (_, files, name, said) => {
    const home = project(Object.fromEntries(files.map((file) => [file, ''])));
    expect(() => findConfig(home, name)).toThrow(PREFIX);
    expect(() => findConfig(home, name)).toThrow(said);
  });
});
