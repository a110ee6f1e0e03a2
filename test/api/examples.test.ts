import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as core from '@ebb/core';
import { afterAll, expect, test } from 'vitest';
import { blocksOf, documentedPages } from '../page-blocks.ts';

/** A `ts` block after `@example` in a docstring. */
interface Example {
  readonly path: string;
  /** The line of the source that the code begins in. */
  readonly line: number;
  readonly code: string;
  /** What the docstring documents, if that is exported. */
  readonly of: string | undefined;
}

const DOCSTRING =
  /\/\*\*(?:(?!\*\/).)*\*\/(?:\n *export (?:async |abstract |declare )*(?:function|const|class|interface|type) (\w+))?/gs;
const EXAMPLE = /@example\b(?:(?!\n *\* @).)*/gs;
const BLOCK = /^ *\* ```ts\n(.*?)^ *\* ```$/gms;

function examplesOf(path: string): Example[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(DOCSTRING)].flatMap((docstring) =>
    [...docstring[0].matchAll(EXAMPLE)].flatMap((example) =>
      [...example[0].matchAll(BLOCK)].map((block): Example => {
        const before = text.slice(0, docstring.index + example.index + block.index);
        const code = (block[1] ?? '').replace(/^ *\* ?/gm, '');
        return { path, line: before.split('\n').length + 1, code, of: docstring[1] };
      }),
    ),
  );
}

const sources = globSync('packages/*/src/**/*.ts').filter((path) => !/\.(test|test-d)\.ts$/.test(path));
const examples = sources.sort().flatMap(examplesOf);

// Below test/node_modules, where the packages and their clients are found as after an installation.
const cache = join(import.meta.dirname, '../node_modules/.cache');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the compiler says about the examples, by file and line of the source. */
function errorsIn(checked: readonly Example[]): string[] {
  const files = checked.map(({ line, code }, index) => {
    const file = `${index}.mts`;
    // The code stands in the line that it has in its source.
    writeFileSync(join(folder, file), '\n'.repeat(line - 1) + code);
    return file;
  });
  const compilerOptions = {
    noEmit: true,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    emitDeclarationOnly: false,
    isolatedDeclarations: false,
    composite: false,
    types: ['node'],
    moduleDetection: 'force',
  };
  const cloudflare = join(import.meta.dirname, 'cloudflare.d.ts');
  const config = {
    extends: join(process.cwd(), 'tsconfig.base.json'),
    compilerOptions,
    files: [cloudflare, ...files],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) return [];
  return stdout
    .trim()
    .split('\n')
    .map((text) =>
      text.replace(/^(\d+)\.mts\((\d+),\d+\)/, (_, index, line) => `${checked[Number(index)]?.path}:${line}`),
    );
}

test('every @example in a docstring compiles', () => {
  expect(errorsIn(examples)).toEqual([]);
});

test('every program on a page compiles', () => {
  // The programs of SDKs are compiled and run beside their packages.
  const programs = documentedPages()
    .filter((page) => page !== 'docs/sdks.md')
    .flatMap(blocksOf)
    .filter(({ language }) => language === 'ts')
    .map(({ page, line, code }) => ({ path: page, line: line + 1, code, of: undefined }));
  expect(programs.length).toBeGreaterThan(60);
  expect(errorsIn(programs)).toEqual([]);
});

test('an error in an example is found, by file and line', () => {
  const wrong = {
    path: 'source.ts',
    line: 12,
    code: "const text = 'a';\nconst n: number = text;\n",
    of: undefined,
  };
  expect(errorsIn([wrong])).toEqual([expect.stringMatching(/^source\.ts:13: error TS2322/)]);
});

test('every function of @ebb/core has an @example', () => {
  const functions = Object.entries(core).flatMap(([name, value]) =>
    typeof value === 'function' && !/^class\b/.test(String(value)) ? [name] : [],
  );
  const shown = examples.filter(({ path }) => path.startsWith('packages/core/')).map((example) => example.of);
  expect(functions).toContain('createPolicy');
  expect(functions.filter((name) => !shown.includes(name))).toEqual([]);
});
