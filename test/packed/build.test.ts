import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { buildPackage } from '../../build/build.ts';
import { complete } from '../../build/manifest.ts';
import { packageAt } from '../../build/packages.ts';
import { marked } from '../../build/pure.ts';

const home = join(inject('folder'), 'fixture');

/** A package that is different in Node, and in production. */
const FILES = {
  'package.json': JSON.stringify({
    name: '@ebb/fixture',
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { '@ebb/source': './src/index.ts' },
      './inner/door': { '@ebb/source': './src/inner/door.ts' },
      './package.json': './package.json',
    },
    imports: {
      '#platform': {
        'ebb-web': './src/platform/web.ts',
        workerd: './src/platform/node.ts',
        node: './src/platform/node.ts',
        default: './src/platform/web.ts',
      },
      '#prose': { production: './src/no-prose.ts', default: './src/prose.ts' },
    },
  }),
  'src/platform/node.ts': `import { tmpdir } from 'node:os';
    import { inNode } from './in-node.ts';
    export const place = (): string => inNode(tmpdir() && 'node');`,
  'src/platform/in-node.ts': "export const inNode = (text: string): string => 'in '.concat(text);",
  'src/platform/web.ts': `export const place = (): string => 'in a page';`,
  'src/prose.ts': "export const prose = (name: string): string => name.concat(' must be a whole number');",
  'src/no-prose.ts': 'export const prose = (name: string): string => name;',
  'src/check.ts': `import { prose } from '#prose';
    export const refuse = (name: string): Error => new TypeError(prose(name));`,
  'src/double.ts': 'export const twice = (value: number): number => 2 * value;',
  'src/greet.ts': `import { place } from '#platform';
    import { twice } from './double.ts';
    import { refuse } from './check.ts';
    export const greet = (count: number): string => twice(count) + place() + refuse('y').message;`,
  'src/index.ts': `import type { Options } from './options.ts';
    export { greet } from './greet.ts';
    export { place } from '#platform';
    export { refuse } from './check.ts';
    export { twice } from './double.ts';
    export type { Options };
    /** Kept in the declarations. */
    export const four = (options: Options): number => options.value + 4;`,
  'src/inner/door.ts': `export { greet } from '../greet.ts';
    export { refuse } from '../check.ts';
    export { twice } from '../double.ts';
    export type { Options } from '../options.ts';`,
  'src/options.ts': 'export interface Options { readonly value: number }',
};

const dist = (path: string): string => join(home, 'dist', path);
const built = (): string[] => globSync('**/*', { cwd: dist('.') }).filter((path) => /\.c?[jt]s$/.test(path));
const read = (path: string): string => readFileSync(dist(path), 'utf8');

/** The built files that an ES module imports, and what else. */
function reached(path: string, found: Set<string> = new Set()): Set<string> {
  found.add(path);
  for (const [, from = ''] of read(path).matchAll(/\bfrom\s*"([^"]+)"/g)) {
    if (!from.startsWith('.')) found.add(from);
    else if (!found.has(posix.join(posix.dirname(path), from))) {
      reached(posix.join(posix.dirname(path), from), found);
    }
  }
  return found;
}

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const one = packageAt(join(home, 'package.json'));
  expect(() => complete(one, true)).toThrow('lacks what follows from its doors');
  complete(one, false);
  await buildPackage(one);
});

interface Door {
  place(): string;
  refuse(name: string): Error;
  twice(value: number): number;
}

const variants = [
  ['node', 'in node', 'x must be a whole number'],
  ['web', 'in a page', 'x must be a whole number'],
  ['production', 'in a page', 'x'],
] as const;

describe.each(variants)('the ES modules for %s', (variant, place, prose) => {
  test('have their platform and their messages', async () => {
    const door: Door = await import(pathToFileURL(dist(`${variant}/index.js`)).href);
    expect([door.place(), door.refuse('x').message, door.twice(4)]).toEqual([place, prose, 8]);
    const inner: Door = await import(pathToFileURL(dist(`${variant}/inner/door.js`)).href);
    expect(inner.refuse).toBe(door.refuse);
  });

  test('load what is of Node in Node alone', () => {
    for (const door of ['index', 'inner/door']) {
      const files = [...reached(`${variant}/${door}.js`)];
      expect(files.includes('node:os')).toBe(variant === 'node');
      const folders = new Set(files.map((file) => file.split('/')[0] ?? ''));
      expect(
        [...folders]
          .filter((name) => /^(node|web|production)/.test(name))
          .every((name) => name.includes(variant) || name === 'node:os'),
      ).toBe(true);
    }
  });
});

test('CommonJS is for Node', () => {
  const program = `const door = require('@ebb/fixture');
    console.log(door.place(), door.refuse === require('@ebb/fixture/inner/door').refuse);`;
  expect(execFileSync(process.execPath, ['-e', program], { cwd: home, encoding: 'utf8' })).toBe(
    'in node true\n',
  );
});

test('a source is built once for the variants in which it is the same', () => {
  const modules = built().filter((path) => path.endsWith('.js'));
  const having = (text: string): string[] => modules.filter((path) => read(path).includes(text)).sort();
  expect(having('2*')).toEqual(['shared.js']);
  expect(having('TypeError(')).toEqual(['node-web/shared.js', 'production/shared.js']);
  expect(having('tmpdir')).toEqual(['node/shared.js']);
  expect(modules.filter((path) => /["'`]#/.test(read(path)))).toEqual([]);
});

test('conditions of a bundler choose the variant', async () => {
  for (const [conditions, expected] of [
    [['node'], 'node'],
    [['workerd', 'worker', 'browser'], 'node'],
    [['bun'], 'node'],
    [['deno', 'node', 'production'], 'node'],
    [['browser'], 'web'],
    [['browser', 'development'], 'web'],
    [['browser', 'production'], 'production'],
  ] as const) {
    const { metafile } = await build({
      stdin: { contents: "export { place } from '@ebb/fixture'", resolveDir: home },
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'neutral',
      external: ['node:*'],
      conditions: [...conditions],
    });
    const entries = Object.keys(metafile.inputs).filter((path) => path.endsWith('/index.js'));
    expect(entries, conditions.join()).toEqual([expect.stringMatching(RegExp(`dist/${expected}/index.js$`))]);
  }
});

test('the declarations are rolled up, and stand once', () => {
  expect(read('types/index.d.ts')).toBe("export * from './index.cjs';\n");
  expect(read('types/index.d.cts')).toContain('/** Kept in the declarations. */');
  const having = built().filter((path) => read(path).includes('interface Options'));
  expect(having).toEqual(['types/shared.d.cts']);
});

test('package.json is completed from its doors and imports', () => {
  const path = join(home, 'package.json');
  complete(packageAt(path), true);
  const { typesVersions, publishConfig } = JSON.parse(readFileSync(path, 'utf8'));
  expect(typesVersions).toEqual({ '*': { 'inner/door': ['./dist/types/inner/door.d.cts'] } });
  expect(publishConfig.imports).toEqual({});
  expect(publishConfig.exports['./inner/door']).toEqual({
    import: {
      types: './dist/types/inner/door.d.ts',
      workerd: './dist/node/inner/door.js',
      node: './dist/node/inner/door.js',
      bun: './dist/node/inner/door.js',
      deno: './dist/node/inner/door.js',
      production: './dist/production/inner/door.js',
      default: './dist/web/inner/door.js',
    },
    require: { types: './dist/types/inner/door.d.cts', default: './dist/cjs/inner/door.cjs' },
  });
});

const droppable = [
  'export const a = new Map([[1, make(2)]]);',
  'const b = make(make({ c: make() }, [make()]), (x) => x);',
  'export const d: Options = { ...other, e: other.e } as const;',
  `const f = \`$\{other}\`, g = -(2 ** 31);`,
  'export class H { static { make(H); } }',
  'class I { [other.key] = 1; }',
  'class J extends Base { static made = make(); #k = 1; }',
  'export const l = class { static m = make(); };',
  'const n = other?.o ?? make();',
  'const p = make(...other), q = [...other];',
  'const r = other ? make(1) : (make(2) satisfies unknown);',
];

test.each(droppable)('unused, this is dropped: %s', async (statement) => {
  const contents = `import { make, other, Base } from './other.js';\n${marked(statement)}\nexport {};`;
  const { outputFiles } = await build({
    stdin: { contents: `import './module.ts';`, resolveDir: home },
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [
      {
        name: 'virtual',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^\.\/module/ }, () => ({ path: 'module', namespace: 'virtual' }));
          onResolve({ filter: /^\.\/other/ }, () => ({
            path: './other.js',
            external: true,
            sideEffects: false,
          }));
          onLoad({ filter: /.*/, namespace: 'virtual' }, () => ({ contents, loader: 'ts' }));
        },
      },
    ],
  });
  expect(outputFiles[0]?.text.replace(/^\/\/.*\n|^import .*\n/gm, '').trim()).toBe('');
});
