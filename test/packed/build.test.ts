import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, inject, test } from 'vitest';
import { buildPackage } from '../build/build.ts';
import { commonJs } from '../build/commonjs.ts';
import { complete } from '../build/manifest.ts';
import { packageAt } from '../build/packages.ts';
import { marked } from '../build/pure.ts';

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
        '@ebb/source': {
          'ebb-web': './src/platform/web.ts',
          workerd: './src/platform/node.ts',
          node: './src/platform/node.ts',
          bun: './src/platform/node.ts',
          default: './src/platform/web.ts',
        },
      },
      '#prose': { '@ebb/source': { production: './src/no-prose.ts', default: './src/prose.ts' } },
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

/** What a program prints in Node. */
function printed(program: string, ...flags: string[]): string {
  const args = [...flags, '--input-type=module', '--eval', program];
  return execFileSync(process.execPath, args, { cwd: home, encoding: 'utf8' }).trim();
}

test.each([
  [[], 'in node x must be a whole number 8 true'],
  [['--conditions=production'], 'in node x 8 true'],
])('the ES modules have their platform and their messages: %s', (flags, expected) => {
  const program = `import * as door from '@ebb/fixture';
    import * as inner from '@ebb/fixture/inner/door';
    console.log(door.place(), door.refuse('x').message, door.twice(4), inner.refuse === door.refuse);`;
  expect(printed(program, ...flags)).toBe(expected);
});

test('CommonJS is for Node', () => {
  const program = `const door = require('@ebb/fixture');
    console.log(door.place(), door.refuse === require('@ebb/fixture/inner/door').refuse);`;
  expect(execFileSync(process.execPath, ['-e', program], { cwd: home, encoding: 'utf8' })).toBe(
    'in node true\n',
  );
});

test('a source is built once, and what differs stands behind its name', () => {
  const modules = built().filter((path) => path.endsWith('.js') && !/^(cjs|node)\//.test(path));
  const having = (text: string): string[] => modules.filter((path) => read(path).includes(text)).sort();
  expect(having('2 * value')).toEqual([expect.stringMatching(/^shared-/)]);
  expect(having('TypeError(')).toEqual([expect.stringMatching(/^shared-/)]);
  expect(having('tmpdir')).toEqual(['platform/node.js']);
  const commonJs = built().filter((path) => path.startsWith('cjs/') && path.endsWith('.js'));
  expect(commonJs.filter((path) => /["'`]#/.test(read(path)))).toEqual([]);
  expect(commonJs.filter((path) => read(path).includes('in a page'))).toEqual([]);
});

test('Node loads few modules, in which every name is what it means there', () => {
  const modules = built().filter((path) => path.startsWith('node/'));
  expect(modules.sort()).toEqual(['node/index.js', 'node/inner/door.js', 'node/shared.js']);
  const code = modules.map(read).join('\n');
  for (const text of ['2 * value', 'TypeError(', 'tmpdir()', ' must be a whole number'])
    expect(code.split(text), text).toHaveLength(2);
  expect(code).not.toMatch(/["'`]#|in a page/);
});

test('conditions of a bundler choose the platform', async () => {
  for (const [conditions, platform, prose] of [
    [['workerd', 'worker', 'browser'], 'node', 'prose'],
    [['bun'], 'node', 'prose'],
    [['deno', 'production', 'node'], 'node', 'no-prose'],
    [['node', 'production'], 'node', 'no-prose'],
    [['browser'], 'web', 'prose'],
    [['browser', 'development'], 'web', 'prose'],
    [['browser', 'production'], 'web', 'no-prose'],
  ] as const) {
    const { metafile } = await build({
      stdin: { contents: "export { greet } from '@ebb/fixture'", resolveDir: home },
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'neutral',
      external: ['node:*'],
      conditions: [...conditions],
    });
    const chosen = Object.keys(metafile.inputs).flatMap(
      (path) => /dist\/(platform\/\w+|(?:no-)?prose)\.js$/.exec(path)?.[1] ?? [],
    );
    expect(chosen.sort(), conditions.join()).toEqual([`platform/${platform}`, prose].sort());
  }
});

test('a bundler for Node gets what Node loads', async () => {
  const { metafile } = await build({
    stdin: { contents: "export { greet } from '@ebb/fixture'", resolveDir: home },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    conditions: ['import'],
  });
  expect(Object.keys(metafile.inputs).filter((path) => /dist\/(?!node\/)/.test(path))).toEqual([]);
});

test.each([
  [
    "import a, { b as c } from 'x'; export { c as d };",
    'const a = require("x").default, { b: c } = require("x");\nexports.d = c;\n',
  ],
  ["import * as a from 'node:os'; import 'x';", 'const a = require("node:os"); require("x");\n'],
  ["export { a as b } from 'x';", 'exports.b = require("x").a;\n'],
  [
    'let a = 1; export { a };',
    'let a = 1;\nObject.defineProperty(exports, "a", { enumerable: true, get() { return a; } });\n',
  ],
  [
    "// First\nimport {\n  a\n} from 'x';\na();\nexport {\n  a\n};\n",
    '// First\nconst { a } = require("x");\n\n\na();\nexports.a = a;\n',
  ],
])('as CommonJS: %s', (code, expected) => {
  expect(commonJs(code, (from) => from)).toBe(
    `"use strict"; Object.defineProperty(exports, "__esModule", { value: true }); ${expected}`,
  );
});

test('a built file keeps the lines of its sources', () => {
  const text = read('node/shared.js');
  expect(text).toMatch(/^\/\/ @ebb\/fixture, .*\n/);
  expect(text).toContain('\nconst twice = (value) => 2 * value;\n');
});

test('a form of export that has no CommonJS is refused', () => {
  expect(() => commonJs('export default 1;', (from) => from)).toThrow(
    'ExportDefaultDeclaration has no CommonJS',
  );
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
  expect(publishConfig.imports['#platform']).toEqual({
    workerd: './dist/platform/node.js',
    node: './dist/platform/node.js',
    bun: './dist/platform/node.js',
    default: './dist/platform/web.js',
  });
  expect(publishConfig.exports['./inner/door']).toEqual({
    import: {
      types: './dist/types/inner/door.d.ts',
      production: './dist/inner/door.js',
      node: './dist/node/inner/door.js',
      default: './dist/inner/door.js',
    },
    require: { types: './dist/types/inner/door.d.cts', default: './dist/cjs/inner/door.js' },
  });
});

// The Babel preset of React Native refuses static blocks.
test('a static block becomes a statement after its class', () => {
  const code = 'export class A { static { make(A); } a = 1; static { make(2); } }';
  const moved =
    'export const A = /* @__PURE__ */ (() => { class A {  a = 1;  } { make(A); } { make(2); } return A; })();';
  expect(marked(code).toString()).toBe(moved);
  expect(() => marked('class B { static { make(this); } }')).toThrow('a static block must name its class');
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
