import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, inject, test } from 'vitest';
import { commonJs } from '../build/commonjs.ts';
import { complete } from '../build/manifest.ts';
import { packageAt } from '../build/packages.ts';
import { marked } from '../build/pure.ts';

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

test('a form of export that has no CommonJS is refused', () => {
  expect(() => commonJs('export default 1;', (from) => from)).toThrow(
    'ExportDefaultDeclaration has no CommonJS',
  );
});

test('package.json is completed from its doors and imports, but not in CI', () => {
  const home = join(inject('folder'), 'fixture');
  const path = join(home, 'package.json');
  const platform = {
    'ebb-web': './src/platform/web.ts',
    workerd: './src/platform/node.ts',
    node: './src/platform/node.ts',
    default: './src/platform/web.ts',
  };
  const doors = {
    '.': { '@ebb/source': './src/index.ts' },
    './inner/door': { '@ebb/source': './src/inner/door.ts' },
  };
  mkdirSync(home);
  writeFileSync(
    path,
    JSON.stringify({
      name: '@ebb/fixture',
      exports: { ...doors, './package.json': './package.json' },
      imports: { '#platform': { '@ebb/source': platform } },
    }),
  );
  expect(() => complete(packageAt(path), true)).toThrow('lacks what follows from its doors');
  complete(packageAt(path), false);
  complete(packageAt(path), true);
  const { typesVersions, publishConfig } = JSON.parse(readFileSync(path, 'utf8'));
  expect(typesVersions).toEqual({ '*': { 'inner/door': ['./dist/types/inner/door.d.cts'] } });
  expect(publishConfig.imports['#platform']).toEqual({
    workerd: './dist/platform/node.js',
    node: './dist/platform/node.js',
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
    stdin: { contents: `import './module.ts';` },
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
