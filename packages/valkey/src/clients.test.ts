import { readFileSync } from 'node:fs';
import type { GlideClient, GlideClusterClient } from '@valkey/valkey-glide';
import type { Redis as IORedis, Cluster as IORedisCluster } from 'ioredis';
import type { Cluster, Redis } from 'iovalkey';
import type { createClient, createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { clients, clusterClients, variants } from '../test/clients.ts';
import { TestCluster } from '../test/cluster.ts';
import { program, startServer, type TestServer } from '../test/server.ts';
import { type StoreEvent, type ValkeyClient, valkeyBucket, valkeyBucketPerKey } from './index.ts';

const LOGIN = { username: 'limited', password: 'secret' };

/** The rights that a client needs according to the README: on one node, or on a cluster. */
function rightsOf(name: string, isCluster: boolean): string[] {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const basic = /The user that the client logs in as needs `([^`]+)`/.exec(page)?.[1] ?? '';
  const table = page.slice(page.indexOf('| on one node, also |'));
  const row = table.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``)) ?? '';
  expect(basic).not.toBe('');
  expect(row).not.toBe('');
  const cell = row.replaceAll('\\|', '\0').split('|')[isCluster ? 3 : 2] ?? '';
  const more = (/`([^`]+)`/.exec(cell)?.[1] ?? '').replaceAll('\0', '|');
  return `${basic} ${more}`.split(' ').filter(Boolean);
}

/** Gives the user these rights and no others, on each of the servers. */
async function allow(servers: readonly TestServer[], rights: readonly string[]): Promise<void> {
  const { username, password } = LOGIN;
  for (const server of servers) {
    await server.command(`ACL SETUSER ${username} reset on >${password} ${rights.join(' ')}`);
    for (const line of ['ACL LOG RESET', 'SCRIPT FLUSH', 'CONFIG RESETSTAT']) await server.command(line);
  }
}

/** Checks that the user needed each of its rights, and was refused nothing but to name its client. */
async function expectNoMore(servers: readonly TestServer[], rights: readonly string[]): Promise<void> {
  const stats = (await Promise.all(servers.map((server) => server.command('INFO commandstats')))).join('\n');
  for (const right of rights.filter((part) => part.startsWith('+')))
    expect(stats).toContain(`cmdstat_${right.slice(1)}:`);
  for (const server of servers) {
    const denied = (await server.command('ACL LOG')).split('\r\n');
    const objects = denied.flatMap((line, index) => (line === 'object' ? [denied[index + 2]] : []));
    expect(objects.filter((object) => !object?.startsWith('client'))).toEqual([]);
  }
}

/** Checks that two buckets on one client share their tokens, also if the servers forget the script. */
async function share(
  client: ValkeyClient,
  keys: readonly string[],
  servers: readonly TestServer[] = [],
): Promise<void> {
  for (const key of keys) {
    const events: StoreEvent[] = [];
    const options = {
      ...{ client, key, refillPerSecond: 1, capacity: 50, timeoutMs: 5_000 },
      onStoreEvent: (event: StoreEvent) => void events.push(event),
    };
    await using one = valkeyBucket(options);
    await using other = valkeyBucket({ ...options, nonConforming: 'reject' });
    await one.acquire({ cost: 30 });
    for (const server of servers) await server.command('SCRIPT FLUSH');
    await other.acquire({ cost: 15 });
    await expect(other.acquire({ cost: 15 })).rejects.toMatchObject({ reason: 'not-conforming' });
    expect(events).toEqual([]);
  }
}

describe.runIf(program !== undefined)('one server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(Object.entries({ ...clients, ...variants }).filter(([name]) => !name.includes('without')))(
    'through %s',
    async (name, open) => {
      using opened = await open({ port: server.port });
      await share(opened.client, [name], [server]);
    },
  );

  test.each(Object.entries(clients))('the rights of the README are enough for %s', async (name, open) => {
    const rights = rightsOf(name, false);
    await allow([server], rights);
    using opened = await open({ port: server.port, ...LOGIN });
    await share(opened.client, [`limited ${name}`]);
    await expectNoMore([server], rights);
  });
});

describe.runIf(program !== undefined).each(Object.entries(clusterClients))(
  'a cluster, through %s',
  (name, open) => {
    // The keys are on all three nodes, and each node needs the script.
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `${letter} ${name}`);
    let cluster: TestCluster;
    beforeAll(async () => {
      cluster = await TestCluster.start();
    }, 30_000);
    afterAll(() => cluster[Symbol.asyncDispose]());

    test('shares buckets on all nodes', { timeout: 20_000 }, async () => {
      using opened = await open({ port: cluster.portOf(0) });
      await share(opened.client, keys, cluster.servers);
      const sizes = await Promise.all(cluster.servers.map((server) => server.command('DBSIZE')));
      expect(sizes).not.toContain(':0');
    });

    test('needs only the rights of the README', { timeout: 20_000 }, async () => {
      const rights = rightsOf(name, true);
      await allow(cluster.servers, rights);
      using opened = await open({ port: cluster.portOf(0), ...LOGIN });
      await share(
        opened.client,
        keys.map((key) => `limited ${key}`),
      );
      await expectNoMore(cluster.servers, rights);
    });

    test('sends the calls of one turn in a few packets', async () => {
      using opened = await open({ port: cluster.portOf(0) });
      const { client } = opened;
      const limit = { refillPerSecond: 0.1, capacity: 10, timeoutMs: 5_000 };
      const buckets = valkeyBucketPerKey({ client, key: 'tenants', ...limit });
      const request = { method: 'GET', url: '/', replayable: true, header: () => undefined };
      const askAll = (round: string): Promise<unknown> =>
        Promise.all(Array.from({ length: 300 }, (_, at) => buckets.for(request, `${round} ${at}`).acquire()));
      // Connects to all nodes, and gives them the script.
      await askAll('first');
      const [reads, calls] = [await cluster.reads(), buckets.stats().calls];
      await askAll('second');
      expect(buckets.stats().calls - calls).toBeGreaterThanOrEqual(300);
      // A server reads 16 kB at a time; each call by itself takes some 160 reads.
      expect((await cluster.reads()) - reads).toBeLessThanOrEqual(60);
      await buckets.close();
    });
  },
);

test('the types of all clients are accepted', () => {
  expectTypeOf<Redis>().toExtend<ValkeyClient>();
  expectTypeOf<Cluster>().toExtend<ValkeyClient>();
  expectTypeOf<IORedis>().toExtend<ValkeyClient>();
  expectTypeOf<IORedisCluster>().toExtend<ValkeyClient>();
  expectTypeOf<ReturnType<typeof createClient>>().toExtend<ValkeyClient>();
  expectTypeOf<ReturnType<typeof createCluster>>().toExtend<ValkeyClient>();
  expectTypeOf<GlideClient>().toExtend<ValkeyClient>();
  expectTypeOf<GlideClusterClient>().toExtend<ValkeyClient>();
});
