// What a program prints that ends with an error of ebb: short, with frames that can be read, in every runtime and in both formats.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { pairs } from '../pairs.ts';
import { execToEnd } from './exec.ts';
import { nodes } from './nodes.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(inject('folder'), 'uncaught');
mkdirSync(folder);

/** The most that an error may print, in bytes: a screen of 80 columns and 20 lines. */
const MOST_BYTES = 1_600;

const BUCKET =
  "{ bucket: core.tokenBucket({ nonConforming: 'reject', refillPerSecond: 1, initialTokens: 0 }) }";
const WRONG = "{ maxRetries: '5' }";

/** Calls that fail, by name. What a call has is the module of the package with that name. */
const FAULTS: Readonly<Record<string, string>> = {
  'a wrong option': 'core.createPolicy({ maxRetries: -1 })',
  'an unknown option': 'core.createPolicy({ retries: 5 })',
  'a long value': "core.createPolicy({ methods: 'GET '.repeat(9_999) })",
  'an option of retry': `core.retry(() => 1, ${WRONG})`,
  'no token': `core.retry(() => 1, ${BUCKET})`,
  fetch: `fetch.createFetch(${WRONG})`,
  'a call of fetch': `fetch.createFetch()('http://127.0.0.1:9', { ebb: ${WRONG} })`,
  'a hook': "fetch.createFetch({ beforeAttempt() { throw Error('broken'); } })('http://127.0.0.1:9')",
  axios: `axios.ebbInterceptor(${WRONG})`,
  undici: `undici.ebbInterceptor(${WRONG})`,
  valkey: "valkey.valkeyBucket({ client: {}, key: 'quota', refillPerSecond: 1 })",
  opentelemetry: 'opentelemetry.telemetry({ tracers: 5 })',
  simulator: 'simulator.simulate({ durationMs: -1 })',
};

const PACKAGES = Object.keys(inject('tarballs'));

/** How each format imports a package. */
const FORMATS = {
  mjs: (name: string) => `import * as ${name} from '@ebb/${name}';\n`,
  cjs: (name: string) => `const ${name} = require('@ebb/${name}');\n`,
};
type Format = keyof typeof FORMATS;
const formats = Object.keys(FORMATS) as Format[];

/** Writes a program that imports the packages that it uses. */
function program(name: string, format: Format, code: string): string {
  const path = join(folder, `${name.replaceAll(' ', '-')}.${format}`);
  const used = PACKAGES.filter((one) => new RegExp(`\\b${one}\\.`).test(code));
  writeFileSync(path, `${used.map(FORMATS[format]).join('')}${code};\n`);
  return path;
}

const programs = Object.entries(FAULTS).flatMap(([name, call]) =>
  formats.map((format) => ({ name, format, path: program(name, format, call) })),
);

interface Frame {
  readonly called: string;
  /** Its line of the file. */
  readonly line: string;
}

/** The frames of a stack that are in ebb. */
function framesIn(stack: string): Frame[] {
  const places = /^ +at (?:(.+) \()?(?:file:\/\/)?(\/\S+\/@ebb\/\S+?):(\d+):\d+\)?$/gm;
  return [...stack.matchAll(places)].map(([, called = '', path = '', line]) => {
    return { called, line: readFileSync(path, 'utf8').split('\n')[Number(line) - 1] ?? '' };
  });
}

const bin = join(root, 'test/runtimes/node_modules/.bin');
const runtimes = [
  ...nodes.map(([version, path]) => [`Node ${version}`, path, []] as const),
  ['Bun', join(bin, 'bun'), ['run']] as const,
  ['Deno', join(bin, 'deno'), ['run', '--allow-all', '--node-modules-dir=manual', '--quiet']] as const,
].filter(([, path]) => existsSync(path));

const cells = pairs(
  runtimes.flatMap(([runtime, command, args]) => programs.map((one) => ({ ...one, runtime, command, args }))),
  ({ name, format, runtime }) => [name, format, runtime],
);

test.concurrent.each(cells)('$name, $format, in $runtime', async ({ name, path, command, args }) => {
  const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' };
  const { code, stderr } = await execToEnd(command, [...args, path], { cwd: folder, env });
  expect(code).toBe(1);
  // With its cause, the error of a hook is two.
  const errors = name === 'a hook' ? 2 : 1;
  expect(Buffer.byteLength(stderr), stderr).toBeLessThanOrEqual(errors * MOST_BYTES);
  const frames = framesIn(stderr);
  expect(frames[0]?.called, stderr).toMatch(/^[\w.#]+$|^new \w+$/);
  for (const { line } of frames) {
    expect(line.trim()).not.toBe('');
    expect(line.length).toBeLessThanOrEqual(300);
  }
});
