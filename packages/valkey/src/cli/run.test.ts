import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Logger } from '@valkey/valkey-glide';
import { Cluster } from 'iovalkey';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestCluster } from '../../test/cluster.ts';
import { hasServer, program } from '../../test/server.ts';
import { useStore } from '../../test/store.ts';
import { type ValkeyBucket, valkeyBucket } from '../index.ts';
import { connect, load } from './clients.ts';
import { RIGHTS } from './help.ts';
import { ebbValkey } from './run.ts';

Logger.setLoggerConfig('off');

const CLIENTS = ['iovalkey', 'ioredis', 'redis', '@valkey/valkey-glide'] as const;

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function runAt(url: string, line: string): Promise<Ran> {
  const written = { out: '', err: '' };
  const to = (name: 'out' | 'err') => ({
    write(text: string) {
      written[name] += text;
    },
  });
  const streams = { stdout: to('out'), stderr: to('err'), env: { VALKEY_URL: url } };
  const code = await ebbValkey(line.split(' ').filter(Boolean), streams);
  return { code, ...written };
}

const has = (text: string): unknown => expect.stringContaining(text);

describe.runIf(hasServer)('ebb-valkey', () => {
  const store = useStore();
  const open: ValkeyBucket[] = [];
  let names = 0;
  let key = '';
  beforeEach(() => {
    names += 1;
    key = `cli-${process.pid}-${names}`;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((bucket) => bucket.close()));
  });

  const run = (line: string): Promise<Ran> => runAt(store.url, line);
  const json = async (line: string) => JSON.parse((await run(`${line} --json`)).out);

  const one = { refillPerSecond: 1, capacity: 50 };
  const limits = { requests: { ...one, capacity: 10 }, tokens: { ...one, capacity: 2_000 } };

  /** A bucket that a process has used. */
  async function used(units = false): Promise<ValkeyBucket> {
    const options = { client: store.client, key, timeoutMs: 5_000 };
    const bucket = valkeyBucket({ ...options, ...(units ? { limits } : one) });
    open.push(bucket);
    await bucket.acquire({ cost: units ? { requests: 4, tokens: 500 } : 30 });
    return bucket;
  }

  test('inspect shows limits, tokens, and who takes part', async () => {
    const { process: name } = (await used()).stats();
    const { code, out, err } = await run(`inspect ${key}`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(`ebb:{${key}}\nlimits of version 1\nwritten `);
    expect(out).toMatch(/\n\(one\) +1 +50 +[\d.]+\n/);
    expect(out).toMatch(new RegExp(`\\n${name} +[\\d.]+ %`));
    expect(await json(`inspect ${key}`)).toMatchObject({
      ...{ key: `ebb:{${key}}`, version: 1, isSet: false, pausedMs: 0, missing: { processes: 0 } },
      units: [{ name: null, ...one, tokens: expect.closeTo(20, -1) }],
      ...{ declared: [{ name: null, ...one }], processes: [{ name }] },
    });
  });

  test('set shows what would change, and with --yes every process has it', async () => {
    const bucket = await used();
    expect(await run(`set ${key} --rate 5 --capacity 80`)).toEqual({
      ...{ code: 3, err: '' },
      out: `ebb:{${key}}\n  (one): rate/s 1 → 5\n  (one): capacity 50 → 80\nnothing was changed: add --yes --if-version 1 to do it\n`,
    });
    expect(await json(`inspect ${key}`)).toMatchObject({ version: 1, units: [{ refillPerSecond: 1 }] });
    const done = await run(`set ${key} --rate 5 --capacity 80 --yes --if-version 1`);
    expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/done\n$/) });
    expect(await json(`inspect ${key}`)).toMatchObject({
      ...{ version: 2, isSet: true, expiresInMs: expect.closeTo(86_400_000, -5) },
      units: [{ refillPerSecond: 5, capacity: 80, tokens: expect.closeTo(20, -1) }],
    });
    expect((await run(`inspect ${key}`)).out).toContain('limits of version 2, set: processes declare others');
    await bucket.acquire({ cost: 1 });
    await expect.poll(() => bucket.stats().refillPerSecond).toBe(5);
    for (const [options, ran] of [
      ['--rate 5', { code: 0, out: has('so already') }],
      ['--rate 6 --if-version 1', { code: 3, out: has('changed meanwhile, and are of version 2') }],
      ['--capacity 1e9 --rate 1', { code: 2, err: has('--rate must be at least 10, so that the capacity') }],
    ] as const)
      expect(await run(`set ${key} ${options} --yes`)).toMatchObject(ran);
  });

  test('watch shows the buckets whose names begin so', async () => {
    await used();
    const first = key;
    key = `${key}-units`;
    await used(true);
    const { out, code } = await run(`watch ${first} --once`);
    expect(code).toBe(0);
    const rows = out.trim().split('\n');
    expect(rows.map((line) => line.split(/ +/).slice(0, 3).join(' '))).toEqual([
      'key unit rate/s',
      `ebb:{${key}} requests 1`,
      `ebb:{${key}} tokens 1`,
      `ebb:{${first}} (one) 1`,
    ]);
    expect((await json(`watch ${key} --once`)).buckets).toMatchObject([{ key: `ebb:{${key}}`, version: 1 }]);
    // A star in a name is a star.
    const none = await run(`watch ${first.slice(0, 5)}* --once`);
    expect(none.out).toMatch(/^no bucket whose name begins with/);
  });

  test('says what is wrong with a key', async () => {
    const name = `ebb:{${key}}`;
    const newer = Buffer.from([235, 9, 1]);
    await store.client.set(name, 'a text', 'PX', 10_000);
    const err = `ebb-valkey: ${name} does not hold a bucket\n`;
    expect(await run(`inspect ${key}`)).toEqual({ code: 1, out: '', err });
    await store.client.set(name, newer, 'PX', 10_000);
    expect((await run(`reset ${key} --yes`)).err).toBe(
      `ebb-valkey: ${name} was written by a newer version: update @ebb/valkey\n`,
    );
    await store.client.del(name);
    await store.client.lpush(name, 'x');
    expect((await run(`inspect ${key}`)).err).toBe('ebb-valkey: the key does not hold a bucket\n');
    await store.client.del(name);
    const none = `ebb-valkey: there is no bucket ${name} in the store: it is full and quiet, or was never used\n`;
    expect(await run(`set ${key} --rate 1 --yes`)).toMatchObject({ code: 1, err: none });
  });

  test('watch runs until it is ended, as a program of its own', async () => {
    await used();
    const args = ['--conditions=@ebb/source', 'packages/valkey/src/cli.ts'];
    const child = spawn(process.execPath, [...args, 'watch', key, '--json', '--url', store.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      out += text;
      if (out.split('\n').length > 2) break;
    }
    child.kill();
    await once(child, 'exit').catch(() => undefined);
    for (const line of out.trim().split('\n').slice(0, 2)) expect(JSON.parse(line).buckets).toHaveLength(1);
  });

  describe.runIf(program !== undefined)('with the rights of the help', () => {
    const connection = (client: string): string => (client === '@valkey/valkey-glide' ? '+info' : '');

    test.each(CLIENTS)('does each command through %s, and with fewer says which it needs', async (client) => {
      const url = store.url.replace('//', '//limited:secret@');
      for (const [command, rights] of Object.entries(RIGHTS)) {
        await store.client.flushall();
        const { process: name } = (await used()).stats();
        const rest: Record<string, string> = {
          ...{ inspect: key, watch: '--once', set: `${key} --rate 5 --yes`, reset: `${key} --yes` },
          leave: `${key} ${name} --yes`,
        };
        const runWith = async (list: readonly string[]): Promise<Ran> => {
          const all = [...list, connection(client), '~ebb:*'].filter(Boolean);
          await store.client.call('ACL', 'SETUSER', 'limited', 'reset', 'on', '>secret', ...all);
          return runAt(url, `${command} ${rest[command]} --client ${client}`);
        };
        const all = rights.split(' ');
        for (const right of all) {
          const { code, err } = await runWith(all.filter((other) => other !== right));
          expect([
            code,
            err.startsWith(`ebb-valkey: ${command} needs the rights ${rights} ~ebb:*: `),
          ]).toEqual([1, true]);
        }
        expect(await runWith(all), command).toMatchObject({ code: 0, err: '' });
      }
    });
  });
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('packages/valkey/package.json', 'utf8'));
  expect(await runAt('', '--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
});

describe('the client', () => {
  test.each(CLIENTS)('%s says that there is no store', { timeout: 20_000 }, async (client) => {
    const { code, err } = await runAt('redis://:secret@127.0.0.1:1', `inspect api --client ${client}`);
    expect(code).toBe(1);
    expect(err).toContain(`ebb-valkey: 127.0.0.1:1 cannot be reached by ${client}: `);
    expect(err).not.toContain('secret');
  });

  test('is named if none is installed', async () => {
    const target = { url: new URL('redis://x'), cluster: false, clients: CLIENTS };
    await expect(connect(target, async () => undefined)).rejects.toThrow(
      'no client of the store is installed: npm install iovalkey (or another of iovalkey, ioredis, redis, @valkey/valkey-glide)',
    );
    expect(await load('@ebb/no-such-client' as never)).toBeUndefined();
  });
});

describe.runIf(program !== undefined)('a cluster of three', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start();
  }, 30_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  test.each(CLIENTS)('through %s', { timeout: 20_000 }, async (client) => {
    const nodes = new Cluster([{ host: '127.0.0.1', port: cluster.portOf(0) }]);
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `${letter}-${client}`);
    const limit = { refillPerSecond: 1, capacity: 50, timeoutMs: 5_000 };
    const buckets = keys.map((key) => valkeyBucket({ client: nodes, key, ...limit }));
    await Promise.all(buckets.map((bucket) => bucket.acquire({ cost: 30 })));
    const on = (line: string): Promise<Ran> =>
      runAt(`redis://127.0.0.1:${cluster.portOf(1)}`, `${line} --cluster --client ${client}`);
    const { out } = await on('watch --once --json');
    const found = JSON.parse(out).buckets.map(({ key }: { key: string }) => key);
    expect(found).toEqual(expect.arrayContaining(keys.map((key) => `ebb:{${key}}`)));
    for (const key of keys) expect(await on(`set ${key} --rate 5 --yes`)).toMatchObject({ code: 0, err: '' });
    await Promise.all(buckets.map((bucket) => bucket.close()));
    nodes.disconnect();
  });
});
