import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Step, upstream } from '../../../test/server.ts';

const root = join(import.meta.dirname, '../../..');
// Inside test/, so that the packages resolve as they do for a user who has installed them.
const folder = mkdtempSync(join(root, 'test/.register-'));
afterAll(() => rmSync(folder, { recursive: true }));

const down: Step = { status: 503 };
const up: Step = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"data":[]}' };

/** The files of a project, by path. */
type Files = Readonly<Record<string, string>>;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let projects = 0;

/** A new project. Its package.json is where the search for a config ends. */
function project(files: Files): string {
  projects += 1;
  const home = join(folder, `${projects}`);
  for (const [name, text] of Object.entries({ 'package.json': '{}', ...files })) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

interface Start {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly flags?: readonly string[];
}

/** Runs a program with the policy, as `node --import @ebb/undici/register` does. */
function start(program: string, { env = {}, cwd = folder, flags = [] }: Start): Promise<Ended> {
  const args = ['--conditions=@ebb/source', ...flags, '--import', '@ebb/undici/register'];
  const { EBB: _, EBB_CONFIG: __, ...outer } = process.env;
  const options = { cwd, env: { ...outer, NODE_OPTIONS: '', ...env }, timeout: 50_000 };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...args, '--input-type=module', '-e', program],
      options,
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout: stdout.trim(), stderr });
      },
    );
  });
}

/** Runs a program that sends to an upstream with this script. */
async function sending(
  program: string,
  files: Files,
  options: Start = {},
  script: readonly Step[] = [down, up],
) {
  const server = await upstream(script);
  try {
    const home = project(files);
    const cwd = join(home, options.cwd ?? '');
    const env = { ...options.env, UPSTREAM_URL: server.url };
    const { code, stdout, stderr } = await start(program, { ...options, cwd, env });
    return { result: { code, stdout, stderr, requests: server.seen.length }, seen: server.seen };
  } finally {
    await server.close();
  }
}

const FETCH = 'console.log((await fetch(process.env.UPSTREAM_URL)).status)';
const QUICK = "const { constant } = require('@ebb/core'); module.exports = { backoff: constant(1) };";
const quick = { 'ebb.config.cjs': QUICK };
const retried = { code: 0, stdout: '200', requests: 2 };

describe('every client over the global dispatcher retries', () => {
  test.concurrent.each<[who: string, program: string]>([
    ['fetch', FETCH],
    [
      'fetch with a body',
      "console.log((await fetch(process.env.UPSTREAM_URL, { method: 'PUT', body: 'text' })).status)",
    ],
    [
      'request of undici',
      "import { request } from 'undici'; console.log((await request(process.env.UPSTREAM_URL)).statusCode)",
    ],
    [
      'fetch of undici',
      "import { fetch } from 'undici'; console.log((await fetch(process.env.UPSTREAM_URL)).status)",
    ],
    [
      'fetch of undici 7, installed beside',
      "import { fetch } from 'undici7'; console.log((await fetch(process.env.UPSTREAM_URL)).status)",
    ],
    [
      'axios over fetch',
      "import axios from 'axios'; console.log((await axios.get(process.env.UPSTREAM_URL, { adapter: 'fetch' })).status)",
    ],
    [
      'a worker thread',
      `import { Worker } from 'node:worker_threads';
      new Worker("fetch(process.env.UPSTREAM_URL).then(({ status }) => console.log(status))", { eval: true });`,
    ],
  ])('%s', async (who, program) => {
    const { result, seen } = await sending(program, quick);
    expect(result).toMatchObject(retried);
    if (who === 'fetch with a body') expect(seen.map(({ body }) => body)).toEqual(['text', 'text']);
  });

  test.concurrent.each<[who: string, program: string]>([
    [
      'a request with a dispatcher of its own',
      `import { Agent, request } from 'undici';
      console.log((await request(process.env.UPSTREAM_URL, { dispatcher: new Agent() })).statusCode);`,
    ],
    [
      'axios over http',
      `import axios from 'axios';
      console.log((await axios.get(process.env.UPSTREAM_URL, { validateStatus: null })).status);`,
    ],
  ])('not %s', async (_, program) => {
    expect((await sending(program, quick)).result).toMatchObject({ code: 0, stdout: '503', requests: 1 });
  });
});

describe('configs', () => {
  const rule = "import { constant } from '@ebb/core';";
  const typed = `import { constant, type PolicyOptions } from '@ebb/core';
    export default { backoff: constant(1) } satisfies PolicyOptions;`;
  test.concurrent.each<[what: string, files: Files, options?: Start]>([
    ['.ts', { 'package.json': '{ "type": "module" }', 'ebb.config.ts': typed }],
    ['.mts', { 'ebb.config.mts': typed }],
    ['.js, an ES module', { 'ebb.config.js': `${rule} export default { backoff: constant(1) };` }],
    ['.js, CommonJS', { 'ebb.config.js': QUICK }],
    ['.mjs', { 'ebb.config.mjs': `${rule} export default { backoff: constant(1) };` }],
    ['.cjs', quick],
    [
      '.cjs, compiled from an ES module',
      {
        'ebb.config.cjs': `exports.__esModule = true; ${QUICK.replace('module.exports =', 'exports.default =')}`,
      },
    ],
    ['a function', { 'ebb.config.mjs': `${rule} export default () => ({ backoff: constant(1) });` }],
    [
      'a policy',
      {
        'ebb.config.mjs':
          "import { constant, createPolicy } from '@ebb/core'; export default createPolicy({ backoff: constant(1) });",
      },
    ],
    ['EBB_CONFIG', { 'settings/quick.cjs': QUICK }, { env: { EBB_CONFIG: 'settings/quick.cjs' } }],
    [
      'EBB_CONFIG rather than a config that is found',
      { 'ebb.config.json': '{ "maxRetries": 0 }', 'other.cjs': QUICK },
      { env: { EBB_CONFIG: 'other.cjs' } },
    ],
    ['in a folder above', { ...quick, 'src/deep/a.txt': '' }, { cwd: 'src/deep' }],
    [
      'the nearest',
      { 'ebb.config.json': '{ "maxRetries": 0 }', 'src/ebb.config.cjs': QUICK },
      { cwd: 'src' },
    ],
    ['EBB=on', quick, { env: { EBB: 'on', EBB_CONFIG: '' } }],
  ])('%s', async (_, files, options) => {
    expect((await sending(FETCH, files, options)).result).toMatchObject(retried);
  });

  test.concurrent.each<[what: string, files: Files, options?: Start]>([
    ['.json', { 'ebb.config.json': '{ "maxRetries": 0, "methods": ["GET"] }' }],
    ['EBB=off', quick, { env: { EBB: 'off' } }],
    ['EBB=off, beside a wrong config', { 'ebb.config.json': '{' }, { env: { EBB: 'off' } }],
  ])('without retries: %s', async (_, files, options) => {
    const { result } = await sending(FETCH, files, options);
    expect(result).toMatchObject({ code: 0, stdout: '503', stderr: '', requests: 1 });
  });

  test.concurrent.each<[what: string, files: Files, options?: Start]>([
    ['none', {}],
    [
      'one above the nearest package.json',
      { 'ebb.config.json': '{ "maxRetries": 0 }', 'inner/package.json': '{}' },
      { cwd: 'inner' },
    ],
  ])('the default policy, silently: %s', async (_, files, options) => {
    expect((await sending(FETCH, files, options)).result).toMatchObject({ ...retried, stderr: '' });
  });

  test.concurrent('EBB=off leaves the global dispatcher alone', async () => {
    const program = `import { policy } from '@ebb/undici/register';
      console.log(policy, globalThis[Symbol.for('undici.globalDispatcher.2')]);`;
    const ended = await start(program, { cwd: project(quick), env: { EBB: 'off' } });
    expect(ended).toEqual({ code: 0, stdout: 'undefined undefined', stderr: '' });
  });
});

describe('a fault ends the process at its start', () => {
  const module = 'ebb.config.mjs';
  test.concurrent.each<[what: string, said: string, files: Files, options?: Start]>([
    [
      'an unknown option',
      'ebb.config.json: createPolicy has no option "retries"; it takes ',
      { 'ebb.config.json': '{ "retries": 3 }' },
    ],
    [
      'a wrong value',
      'ebb.config.mjs: createPolicy: maxRetries must be a whole number ≥ 0, got -1',
      { [module]: 'export default { maxRetries: -1 }' },
    ],
    [
      'a rule in JSON',
      'ebb.config.json: createPolicy: backoff must be a function, got ',
      { 'ebb.config.json': '{ "backoff": "exponential" }' },
    ],
    [
      'no object',
      'ebb.config.json: createPolicy: options must be an object, got null',
      { 'ebb.config.json': 'null' },
    ],
    [
      'a list in JSON',
      'ebb.config.json: createPolicy: options must be an object, got an array',
      { 'ebb.config.json': '[]' },
    ],
    [
      'a promise of options',
      'ebb.config.mjs: createPolicy: options must be an object, got a promise',
      { [module]: 'export default (async () => ({ maxRetries: 1 }))()' },
    ],
    [
      'a promise that rejects',
      'ebb.config.mjs: createPolicy: options must be an object, got a promise',
      { [module]: "export default Promise.reject(new Error('no key'))" },
    ],
    ['a syntax error', 'ebb.config.mjs cannot be loaded: Unexpected', { [module]: 'export default {' }],
    ['a syntax error in JSON', 'ebb.config.json cannot be loaded: ', { 'ebb.config.json': '{' }],
    [
      'an import that fails',
      "ebb.config.mjs cannot be loaded: Cannot find package 'none'",
      { [module]: "import 'none'" },
    ],
    ['a throw', 'ebb.config.mjs cannot be loaded: no key', { [module]: "throw new Error('no key')" }],
    [
      'no default export',
      'ebb.config.mjs has no default export',
      { [module]: 'export const maxRetries = 3' },
    ],
    [
      'top-level await',
      'ebb.config.mjs cannot be loaded: it uses top-level await, and is loaded synchronously',
      { [module]: 'await 1; export default {}' },
    ],
    [
      'an async function',
      'ebb.config.mjs: its function returns a promise, and must return options or a policy',
      { [module]: 'export default async () => { throw new Error() }' },
    ],
    [
      'a function that throws',
      'ebb.config.mjs: its function threw: no key',
      { [module]: "export default () => { throw new Error('no key') }" },
    ],
    [
      'a function without a result',
      'ebb.config.mjs: its function returns undefined',
      { [module]: 'export default () => {}' },
    ],
    [
      'two configs',
      'has ebb.config.mjs and ebb.config.json; keep one, or name one in EBB_CONFIG',
      { [module]: '', 'ebb.config.json': '' },
    ],
    ['a missing file', 'none.json, which does not exist', {}, { env: { EBB_CONFIG: 'none.json' } }],
    [
      'another format',
      'ebb.yaml, which is not one of .ts, ',
      { 'ebb.yaml': '' },
      { env: { EBB_CONFIG: 'ebb.yaml' } },
    ],
    [
      'a hook, and no word on whom it trusts',
      "TypeError: @ebb/undici/register: trustedOrigins must be set beside beforeAttempt, such as trustedOrigins: ['https://",
      { [module]: 'export default { beforeAttempt: () => ({ authorization: "a" }) }' },
    ],
    ['EBB with another value', 'EBB must be on or off, got "0"', {}, { env: { EBB: '0' } }],
  ])('%s', async (_, said, files, options) => {
    const cwd = project(files);
    const { code, stdout, stderr } = await start("console.log('started')", { ...options, cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const [line] = stderr.match(/^Error: @ebb\/undici\/register: .*$/m) ?? [stderr];
    expect(line).toContain(said);
    if (said.startsWith('ebb.config')) expect(line).toContain(join(cwd, said.split(/[: ]/)[0] ?? ''));
  });
});

describe('one policy for the process', () => {
  test.concurrent('a quota holds for fetch and undici together', async () => {
    const config = `const { tokenBucket } = require('@ebb/core');
      module.exports = { bucket: tokenBucket({ capacity: 2, refillPerSecond: 0.001, maxWaitMs: 0 }) };`;
    const program = `import { request } from 'undici';
      import { policy } from '@ebb/undici/register';
      const url = process.env.UPSTREAM_URL;
      const first = [await fetch(url), await request(url)];
      const late = await Promise.allSettled([fetch(url), request(url)]);
      const names = late.map(({ reason }) => (reason.cause ?? reason).name);
      console.log(first.length, names.join(), policy.bucket.stats().granted);
      process.exit();`;
    const { result } = await sending(program, { 'ebb.config.cjs': config }, {}, [up]);
    expect(result).toMatchObject({ code: 0, requests: 2 });
    expect(result.stdout).toBe('2 NotSentError,NotSentError 2');
  });

  test.concurrent('a createFetch of the program retries, and the dispatcher sends once', async () => {
    const program = `import { constant } from '@ebb/core';
      import { createFetch } from '@ebb/fetch';
      const own = createFetch({ maxRetries: 2, backoff: constant(1) });
      console.log((await own(process.env.UPSTREAM_URL)).status);`;
    const { result } = await sending(program, quick, {}, [down]);
    expect(result).toMatchObject({ code: 0, stdout: '503', requests: 3 });
  });

  test.concurrent('registered twice, it retries once', async () => {
    const limited = { 'ebb.config.cjs': QUICK.replace('{ backoff', '{ maxRetries: 2, backoff') };
    const flags = ['--import', join(import.meta.dirname, 'register.ts'), '--require', '@ebb/undici/register'];
    const { result } = await sending(FETCH, limited, { flags }, [down]);
    expect(result).toMatchObject({ code: 0, stdout: '503', requests: 3 });
  });

  test.concurrent('a dispatcher that a preload has set before stays below it', async () => {
    const preload = `import { Agent, setGlobalDispatcher } from 'undici';
      const tag = (dispatch) => (options, handler) => dispatch({ ...options, path: '/tagged' }, handler);
      setGlobalDispatcher(new Agent().compose(tag));`;
    const files = { ...quick, 'preload.mjs': preload };
    const { result, seen } = await sending(FETCH, files, { flags: ['--import', './preload.mjs'] });
    expect(result).toMatchObject(retried);
    expect(seen.map(({ path }) => path)).toEqual(['/tagged', '/tagged']);
  });

  test.concurrent('requests go through the proxy of the environment', async () => {
    const proxy = await upstream([{ status: 502 }]);
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: '' };
    const program = `await fetch('http://upstream.invalid/').then(({ status }) => console.log(status), () => undefined);`;
    const ended = await start(program, { cwd: project({ 'ebb.config.json': '{ "maxRetries": 0 }' }), env });
    await proxy.close();
    expect(proxy.connections(), ended.stderr).toBeGreaterThan(0);
  });
});
