import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Step, upstream } from '../../../test/server.ts';

const root = join(import.meta.dirname, '../../..');
// Inside test/, so that the packages resolve as they do for a user who has installed them.
const folder = mkdtempSync(join(root, 'test/.register-'));
afterAll(() => rmSync(folder, { recursive: true }));

const down: Step = { status: 503 };
const up: Step = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"data":[]}' };

/** The files of a project, by name. */
type Files = Readonly<Record<string, string>>;

interface Start {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly script?: readonly Step[];
}

let projects = 0;

/** Runs a program with the policy, as `node --import @ebb/undici/register` does. It may send to an upstream with the script. */
async function run(program: string, files: Files, { env, flags = [], script = [down, up] }: Start = {}) {
  projects += 1;
  const cwd = join(folder, `${projects}`);
  mkdirSync(cwd);
  for (const [name, text] of Object.entries({ 'package.json': '{}', ...files }))
    writeFileSync(join(cwd, name), text);
  const server = await upstream(script);
  const args = ['--conditions=@ebb/source', ...flags, '--import', '@ebb/undici/register'];
  const { EBB: _, EBB_CONFIG: __, ...outer } = process.env;
  const own = { ...outer, NODE_OPTIONS: '', ...env, UPSTREAM_URL: server.url };
  const ended = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [...args, '--input-type=module', '-e', program],
      { cwd, env: own, timeout: 50_000 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout: stdout.trim(), stderr }),
    );
  });
  await server.close();
  return { ...ended, requests: server.seen.length, seen: server.seen };
}

const FETCH = 'console.log((await fetch(process.env.UPSTREAM_URL)).status)';
const QUICK = "const { constant } = require('@ebb/core'); module.exports = { backoff: constant(1) };";
const quick = { 'ebb.config.cjs': QUICK };
const retried = { code: 0, stdout: '200', stderr: '', requests: 2 };

test.concurrent.each<[who: string, program: string]>([
  ['fetch', FETCH],
  [
    'request of undici',
    "import { request } from 'undici'; console.log((await request(process.env.UPSTREAM_URL)).statusCode)",
  ],
  ['fetch of undici', `import { fetch } from 'undici'; ${FETCH}`],
  ['fetch of undici 7, installed beside', `import { fetch } from 'undici7'; ${FETCH}`],
  [
    'a worker thread',
    `import { Worker } from 'node:worker_threads';
    new Worker("fetch(process.env.UPSTREAM_URL).then(({ status }) => console.log(status))", { eval: true });`,
  ],
])('every client over the global dispatcher retries: %s', async (_, program) => {
  expect(await run(program, quick)).toMatchObject(retried);
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
])('not every client does: %s', async (_, program) => {
  expect(await run(program, quick)).toMatchObject({ code: 0, stdout: '503', requests: 1 });
});

describe('the policy', () => {
  const policy = `import { constant, createPolicy, type Policy } from '@ebb/core';
    export default createPolicy({ backoff: constant(1) }) satisfies Policy;`;
  const none = { code: 0, stdout: '503', stderr: '', requests: 1 };

  test.concurrent.each<[what: string, files: Files, env: Start['env'], expected: object]>([
    ['is that of a config', { 'ebb.config.mts': policy }, {}, retried],
    ['is that of EBB_CONFIG', { 'other.cjs': QUICK }, { EBB: 'on', EBB_CONFIG: 'other.cjs' }, retried],
    ['is the default without a config', {}, {}, retried],
    ['may have no retries', { 'ebb.config.json': '{ "maxRetries": 0, "methods": ["GET"] }' }, {}, none],
    ['is not there with EBB=off, beside a wrong config', { 'ebb.config.json': '{' }, { EBB: 'off' }, none],
  ])('%s', async (_, files, env, expected) => {
    expect(await run(FETCH, files, { env: env ?? {} })).toMatchObject(expected);
  });

  test.concurrent('EBB=off leaves the global dispatcher alone', async () => {
    const program = `import { policy } from '@ebb/undici/register';
      console.log(policy, globalThis[Symbol.for('undici.globalDispatcher.2')]);`;
    const ended = await run(program, quick, { env: { EBB: 'off' } });
    expect(ended).toMatchObject({ code: 0, stdout: 'undefined undefined', stderr: '' });
  });

  test.concurrent.each<[what: string, said: string, files: Files, env?: Start['env']]>([
    [
      'an unknown option',
      'ebb.config.json: createPolicy has no option "retries"',
      { 'ebb.config.json': '{ "retries": 3 }' },
    ],
    [
      'a hook, and no word on whom it trusts',
      'TypeError: @ebb/undici/register: trustedOrigins must be set beside beforeAttempt, such as ',
      { 'ebb.config.mjs': 'export default { beforeAttempt: () => ({ authorization: "a" }) }' },
    ],
    ['EBB with another value', '@ebb/undici/register: EBB must be on or off, got "0"', {}, { EBB: '0' }],
  ])('a fault ends the process at its start: %s', async (_, said, files, env = {}) => {
    const { code, stdout, stderr } = await run("console.log('started')", files, { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(said);
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
    const ended = await run(program, { 'ebb.config.cjs': config }, { script: [up] });
    expect(ended).toMatchObject({ code: 0, requests: 2, stdout: '2 NotSentError,NotSentError 2' });
  });

  test.concurrent('registered twice, it retries once', async () => {
    const limited = { 'ebb.config.cjs': QUICK.replace('{ backoff', '{ maxRetries: 2, backoff') };
    const flags = ['--import', join(import.meta.dirname, 'register.ts'), '--require', '@ebb/undici/register'];
    const ended = await run(FETCH, limited, { flags, script: [down] });
    expect(ended).toMatchObject({ code: 0, stdout: '503', requests: 3 });
  });

  test.concurrent('a dispatcher that a preload has set before stays below it', async () => {
    const preload = `import { Agent, setGlobalDispatcher } from 'undici';
      const tag = (dispatch) => (options, handler) => dispatch({ ...options, path: '/tagged' }, handler);
      setGlobalDispatcher(new Agent().compose(tag));`;
    const files = { ...quick, 'preload.mjs': preload };
    const { seen, ...ended } = await run(FETCH, files, { flags: ['--import', './preload.mjs'] });
    expect(ended).toMatchObject(retried);
    expect(seen.map(({ path }) => path)).toEqual(['/tagged', '/tagged']);
  });

  test.concurrent('requests go through the proxy of the environment', async () => {
    const proxy = await upstream([{ status: 502 }]);
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, http_proxy: proxy.url, NO_PROXY: '' };
    const program = `await fetch('http://upstream.invalid/').then(({ status }) => console.log(status), () => undefined);`;
    const ended = await run(program, { 'ebb.config.json': '{ "maxRetries": 0 }' }, { env });
    await proxy.close();
    expect(proxy.connections(), ended.stderr).toBeGreaterThan(0);
  });
});
