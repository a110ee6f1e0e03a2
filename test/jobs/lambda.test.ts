import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { program, Store } from '../../examples/fleet/store.ts';
import { type Step, type Upstream, upstream } from '../server.ts';

const without = 'neither valkey-server nor redis-server is installed';
if (program === undefined) console.warn(`The example of Lambda is not tested: ${without}.`);

describe.skipIf(program === undefined)(program === undefined ? `SKIPPED: ${without}` : 'lambda', () => {
  let store: Store;
  let server: Upstream;
  beforeAll(async () => {
    store = await Store.start();
  });
  afterEach(() => server.close());
  afterAll(() => store.kill());

  /** The results of the invocations of some processes. */
  async function invoke(
    script: readonly Step[],
    { processes = 1, each = 1, remainingMs = 30_000 } = {},
  ): Promise<{ statusCode: number; body: string }[]> {
    server = await upstream(script);
    const url = `redis://127.0.0.1:${store.port}`;
    const env = { ...process.env, UPSTREAM_URL: server.url, VALKEY_URL: url, NODE_OPTIONS: '' };
    const file = join(import.meta.dirname, 'lambda-process.ts');
    const args = ['--conditions=@ebb/source', file, `${each}`, `${remainingMs}`];
    const one = async () => {
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 50_000 });
      return JSON.parse(stdout) as { statusCode: number; body: string }[];
    };
    return (await Promise.all(Array.from({ length: processes }, one))).flat();
  }

  test('two processes retry no more than the reserve of all', async () => {
    const results = await invoke([{ status: 503 }], { processes: 2, each: 5 });
    expect(results.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(503));
    expect(server.seen.length).toBeLessThanOrEqual(10 + 10);
  });

  test('a wait that is longer than the rest of the invocation does not begin', async () => {
    const results = await invoke([{ status: 429, headers: { 'retry-after': '60' }, body: 'later' }]);
    expect(results).toEqual([{ statusCode: 429, body: 'later' }]);
    expect(server.seen.length).toBe(1);
  });

  test('a request without a response ends before Lambda ends the process', async () => {
    const results = await invoke(['hang'], { remainingMs: 700 });
    expect(results).toEqual([{ statusCode: 504, body: expect.stringContaining('TimeoutError') }]);
  });
});
