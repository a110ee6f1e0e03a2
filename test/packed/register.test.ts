import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { upstream } from '../server.ts';
import { execToEnd } from './exec.ts';
import { nodes } from './nodes.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
// Outside the folder of the packages, which has an undici.
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ebb-register-')));
afterAll(() => rmSync(folder, { recursive: true }));
const packages = join(inject('folder'), 'node_modules');

const PROGRAM = `
  import { request } from 'undici';
  const url = process.env.UPSTREAM_URL;
  console.log((await fetch(url)).status, (await request(url)).statusCode);
`;
const CONFIG = `
  import { constant, type PolicyOptions } from '@ebb/core';
  export default { backoff: constant(1) } satisfies PolicyOptions;
`;
/** For Node 20, which runs no TypeScript. */
const PLAIN_CONFIG = `
  import { constant } from '@ebb/core';
  export default { backoff: constant(1) };
`;

/** A project with this undici, or without one. */
function project(undici?: string): string {
  const home = mkdtempSync(join(folder, 'project-'));
  const modules = join(home, 'node_modules');
  // Copied, since a package finds undici from where it really is.
  for (const one of ['core', 'undici']) {
    cpSync(join(packages, '@ebb', one), join(modules, '@ebb', one), { recursive: true });
  }
  if (undici !== undefined) symlinkSync(undici, join(modules, 'undici'), 'dir');
  // As `npm init` writes it.
  writeFileSync(join(home, 'package.json'), '{ "type": "commonjs" }');
  writeFileSync(join(home, 'ebb.config.ts'), CONFIG);
  writeFileSync(join(home, 'plain.mjs'), PLAIN_CONFIG);
  writeFileSync(join(home, 'app.mjs'), PROGRAM);
  return home;
}

const of = (name: string): string => realpathSync(join(root, name));
const of8 = project(of('test/node_modules/undici'));
const of7 = project(of('test/node_modules/undici7'));
const homes = {
  'undici 8': of8,
  'undici 7': of7,
  'undici 8.0': project(of('test/node_modules/undici8.0')),
  'undici 7.0': project(of('test/node_modules/undici7.0')),
};
const six = project(of('packages/undici/node_modules/undici6'));
const none = project();

// pnpm sets NODE_PATH to a folder that has an undici.
const env = { ...process.env, NODE_OPTIONS: '', NODE_PATH: '', EBB: '', EBB_CONFIG: '' };

/** What a program that cannot start writes. */
async function faultOf(
  node: string,
  cwd: string,
  { flags = [], more = {} }: { flags?: readonly string[]; more?: object } = {},
): Promise<string> {
  const args = [...flags, '--import', '@ebb/undici/register', 'app.mjs'];
  const { code, stderr } = await execToEnd(node, args, { cwd, env: { ...env, ...more } });
  expect(code).toBe(1);
  return stderr;
}

/** The flag that turns the stripping of types off. */
function flagOff(node: string): string {
  const help = execFileSync(node, ['--help']).toString();
  const flag = /--no-(?:experimental-)?strip-types|--(?:experimental-)?strip-types/.exec(help)?.[0];
  return (flag ?? '--experimental-strip-types').replace(/^--(?:no-)?/, '--no-');
}

describe.each(nodes)('Node %s', (version, node) => {
  const isNode20 = version.startsWith('v20.');
  const rows = Object.entries(homes)
    .filter(([undici]) => !isNode20 || undici.startsWith('undici 7'))
    .flatMap(([undici, home]) => ['--import', '--require'].map((flag) => [flag, undici, home] as const));
  const config = isNode20 ? { EBB_CONFIG: 'plain.mjs' } : {};

  test.concurrent.each(rows)('%s with %s: fetch and request retry', async (flag, _, cwd) => {
    const server = await upstream([{ status: 503 }, { status: 200 }, { status: 503 }, { status: 200 }]);
    try {
      const args = [flag, '@ebb/undici/register', 'app.mjs'];
      const { stdout } = await run(node, args, {
        cwd,
        env: { ...env, ...config, UPSTREAM_URL: server.url },
      });
      expect([stdout.trim(), server.seen.length]).toEqual(['200 200', 4]);
    } finally {
      await server.close();
    }
  });

  test.concurrent('an undici that does not fit is named', async () => {
    expect(await faultOf(node, six, { more: config })).toMatch(
      /^Error: @ebb\/undici\/register: undici 7 or 8 is needed, and 6\.[\d.]+ is installed$/m,
    );
    expect(await faultOf(node, none, { more: config })).toMatch(
      /^Error: @ebb\/undici\/register: undici 7 or 8 is needed beside @ebb\/undici: npm install undici$/m,
    );
  });

  // Not skipped elsewhere: a release fails if a test is.
  if (isNode20) {
    test.concurrent('undici 8 is named', async () => {
      expect(await faultOf(node, of8, { more: config })).toMatch(
        /^Error: @ebb\/undici\/register: undici 8\.[\d.]+ does not run on Node v20\.19\.0$/m,
      );
    });
  }

  test.concurrent('a config in TypeScript where Node does not run it', async () => {
    const flags = isNode20 ? [] : [flagOff(node)];
    expect(await faultOf(node, of7, { flags })).toMatch(
      `ebb.config.ts cannot be loaded: Node ${version} does not run TypeScript; use Node 22.18 or later, or a config in JavaScript, ebb.config.mjs`,
    );
  });
});

/** Registers with each config that is one of its arguments, and prints what is loaded, or the message. */
const LOADER = `
  const [, , door, ...paths] = process.argv;
  const registered = Symbol.for('@ebb/undici register');
  const load = async (at) => {
    if (!/.cjs./.test(door)) return import(door + '?' + at);
    delete require.cache[door];
    return require(door);
  };
  (async () => {
    for (const [at, path] of paths.entries()) {
      process.env.EBB_CONFIG = path;
      delete globalThis[registered];
      try {
        console.log((await load(at)).policy.maxRetries);
      } catch ({ message }) {
        console.log(message.replace(/^.* cannot be loaded: /, '').split('\\n')[0]);
      }
    }
  })();
`;

const ESM_TS = `import { createPolicy, type PolicyOptions } from '@ebb/core';
  interface Own extends PolicyOptions { maxRetries: number }
  export default createPolicy({ maxRetries: 7 } satisfies Own);`;
const ESM_JS = `import { createPolicy } from '@ebb/core';
  export default createPolicy({ maxRetries: 7 });`;
const CJS_TS = `const { createPolicy } = require('@ebb/core');
  const options: { maxRetries: number } = { maxRetries: 7 };
  module.exports = createPolicy(options);`;
const CJS_JS = `// Not a module:
  /*
    export default {};
  */
  const { createPolicy } = require('@ebb/core');
  module.exports = createPolicy({ maxRetries: 7 });`;
const RENAMED = `import { createPolicy, type Policy } from '@ebb/core';
  const made: Policy = createPolicy({ maxRetries: 7 });
  export { made as default };`;
const BROKEN = 'export default {';
const isCommonJs = 'and it has the syntax of an ES module; call it ebb.config';

/** What becomes of a config: it loads, or the message has this text. Without `types`, with each. */
interface ConfigRow {
  readonly name: string;
  readonly text: string;
  readonly types?: readonly string[];
  readonly said?: RegExp;
  /** What Node 20 says, if it differs; of TypeScript it says the same of all. */
  readonly saidBy20?: RegExp;
}

const configs: readonly ConfigRow[] = [
  { name: 'ebb.config.ts', text: ESM_TS },
  { name: 'ebb.config.ts', text: RENAMED },
  { name: 'ebb.config.ts', text: CJS_TS, types: ['commonjs', 'none'] },
  { name: 'ebb.config.mts', text: ESM_TS },
  { name: 'ebb.config.cts', text: CJS_TS },
  { name: 'ebb.config.cts', text: ESM_TS, said: RegExp(`^a .cts file is CommonJS, ${isCommonJs}.mts`) },
  { name: 'ebb.config.js', text: ESM_JS, types: ['module', 'none'] },
  {
    name: 'ebb.config.js',
    text: ESM_JS,
    types: ['commonjs'],
    saidBy20: RegExp(`^with "type": "commonjs" in package.json it is CommonJS, ${isCommonJs}.mjs`),
  },
  { name: 'ebb.config.js', text: CJS_JS, types: ['commonjs', 'none'] },
  { name: 'ebb.config.mjs', text: ESM_JS },
  { name: 'ebb.config.cjs', text: CJS_JS },
  { name: 'ebb.config.cjs', text: ESM_JS, said: RegExp(`^a .cjs file is CommonJS, ${isCommonJs}.mjs`) },
  { name: 'ebb.config.json', text: '{ "maxRetries": 7 }' },
  { name: 'ebb.config.mjs', text: BROKEN, said: /^Unexpected end of input$/ },
  { name: 'ebb.config.js', text: BROKEN, types: ['module'], said: /^Unexpected end of input$/ },
];

/** Each row with each type of its project, and the path of its file. */
const written = configs.flatMap((row, at) =>
  (row.types ?? ['commonjs', 'module', 'none']).map((type) => {
    const home = join(of7, 'configs', `${at}-${type}`);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), type === 'none' ? '{}' : JSON.stringify({ type }));
    writeFileSync(join(home, row.name), row.text);
    return { ...row, type, path: join(home, row.name) };
  }),
);

test.each(nodes)('Node %s loads a config of every ending in every kind of project', async (version, node) => {
  const loader = join(of7, 'loader.cjs');
  writeFileSync(loader, LOADER);
  const isNode20 = version.startsWith('v20.');
  const expected = written.map(({ name, said, saidBy20 }) => {
    if (!isNode20) return said ?? /^7$/;
    return /ts$/.test(name)
      ? RegExp(`^Node ${version} does not run TypeScript; `)
      : (saidBy20 ?? said ?? /^7$/);
  });
  for (const build of ['cjs/register.js', 'register.js']) {
    const door = join(of7, 'node_modules/@ebb/undici/dist', build);
    const { stdout } = await run(node, [loader, door, ...written.map(({ path }) => path)], { env });
    const told = stdout.trim().split('\n');
    expect(told.length).toBe(written.length);
    for (const [at, { name, type, text }] of written.entries()) {
      expect(told[at], `${build}: ${name} with type ${type}: ${text}`).toMatch(expected[at] ?? '');
    }
  }
});

const bun = join(root, 'test/runtimes/node_modules/.bin/bun');

test.skipIf(!existsSync(bun))('the undici of Bun is named', async () => {
  const args = ['run', '--preload', '@ebb/undici/register', 'plain.mjs'];
  const { stderr } = await execToEnd(bun, args, { cwd: of7, env });
  expect(stderr).toMatch(
    'error: @ebb/undici/register: the undici that Bun has built in has no interceptors; use @ebb/fetch',
  );
});
