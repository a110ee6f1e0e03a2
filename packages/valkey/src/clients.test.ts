import { readFileSync } from 'node:fs';
import { GlideClient, type GlideClusterClient } from '@valkey/valkey-glide';
import { Redis as IORedis, type Cluster as IORedisCluster } from 'ioredis';
import { type Cluster, Redis } from 'iovalkey';
import { createClient, type createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { TestCluster } from '../test/cluster.ts';
import { type Connection, clusterClients, type Login } from '../test/cluster-clients.ts';
import { hasServer, program, startServer, type TestServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';
import { type StoreClient, type ValkeyClient, valkeyBucket } from './index.ts';

const single: Readonly<Record<string, (url: string) => Promise<Connection>>> = {
  iovalkey: async (url) => {
    const client = new Redis(url);
    return { client, close: () => client.disconnect() };
  },
  ioredis: async (url) => {
    const client = new IORedis(url);
    return { client, close: () => client.disconnect() };
  },
  redis: async (url) => {
    const client = await createClient({ url }).connect();
    return { client, close: () => client.destroy() };
  },
  'redis, RESP 3': async (url) => {
    const client = await createClient({ url, RESP: 3 }).connect();
    return { client, close: () => client.destroy() };
  },
  '@valkey/valkey-glide': async (url) => {
    const { hostname: host, port, username, password } = new URL(url);
    const addresses = [{ host, port: Number(port) }];
    const client = await GlideClient.createClient({
      addresses,
      ...(password !== '' && { credentials: { username, password } }),
    });
    return { client, close: () => client.close() };
  },
  'a client of two functions': async (url) => {
    const client = new Redis(url);
    const port: StoreClient = {
      evalsha: (sha1, key, args) => client.evalsha(sha1, 1, key, ...args),
      eval: (script, key, args) => client.eval(script, 1, key, ...args),
    };
    return { client: port, close: () => client.disconnect() };
  },
};

const LOGIN: Login = { username: 'limited', password: 'secret' };

/** The rights that a client needs according to the README: on one node, and on a cluster. */
function rightsOf(name: string): { readonly one: string[]; readonly cluster: string[] } {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const basic = /The user that the client logs in as needs `([^`]+)`/.exec(page)?.[1] ?? '';
  const table = page.slice(page.indexOf('| on one node, also |'));
  const row = table.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``)) ?? '';
  const [, , one = '', more = ''] = row.replaceAll('\\|', '\0').split('|');
  const split = (cell: string): string[] =>
    (/`([^`]+)`/.exec(cell)?.[1] ?? '').replaceAll('\0', '|').split(' ').filter(Boolean);
  expect(basic).not.toBe('');
  expect(row).not.toBe('');
  return { one: [...basic.split(' '), ...split(one)], cluster: [...basic.split(' '), ...split(more)] };
}

/** Gives the user these rights and no others, on each of the servers. */
async function allow(servers: readonly TestServer[], rights: readonly string[]): Promise<void> {
  const { username, password } = LOGIN;
  for (const server of servers) {
    await server.command(`ACL SETUSER ${username} reset on >${password} ${rights.join(' ')}`);
    await server.command('ACL LOG RESET');
    await server.command('SCRIPT FLUSH');
    await server.command('CONFIG RESETSTAT');
  }
}

/** Checks that the user needed each of its rights, and was refused nothing but to name its client. */
async function expectNoMore(servers: readonly TestServer[], rights: readonly string[]): Promise<void> {
  const stats = (await Promise.all(servers.map((server) => server.command('INFO commandstats')))).join('\n');
  for (const right of rights.filter((part) => part.startsWith('+'))) {
    expect(stats).toContain(`cmdstat_${right.slice(1)}:`);
  }
  for (const server of servers) {
    const denied = (await server.command('ACL LOG')).split('\r\n');
    const objects = denied.flatMap((line, index) => (line === 'object' ? [denied[index + 2]] : []));
    expect(objects.filter((object) => !object?.startsWith('client'))).toEqual([]);
  }
}

/** Checks that two buckets on one client share their tokens. */
async function share(
  client: ValkeyClient,
  keys: readonly string[],
  forget: () => Promise<unknown>,
): Promise<void> {
  for (const key of keys) {
    const lost: unknown[] = [];
    const options = { client, key, refillPerSecond: 1, capacity: 50, timeoutMs: 5_000 } as const;
    const onStoreEvent = (event: unknown): void => {
      lost.push(event);
    };
    await using one = valkeyBucket({ ...options, onStoreEvent });
    await using other = valkeyBucket({ ...options, onStoreEvent, nonConforming: 'reject' });
    await one.acquire({ cost: 30 });
    await forget();
    await other.acquire({ cost: 15 });
    await expect(other.acquire({ cost: 15 })).rejects.toMatchObject({ reason: 'not-conforming' });
    expect(lost).toEqual([]);
  }
}

describe.runIf(hasServer)('one server', () => {
  const store = useStore();

  test.each(Object.entries(single))('through %s', async (name, connect) => {
    const { client, close } = await connect(store.url);
    try {
      await share(client, [`clients ${name} ${process.pid}`], () => store.client.script('FLUSH'));
    } finally {
      close();
    }
  });
});

describe.runIf(program !== undefined)('the rights that the README lists', () => {
  const named = Object.entries(single).filter(([name]) => !/RESP|functions/.test(name));
  test.each(named)('are enough for %s', async (name, connect) => {
    await using server = await startServer();
    const rights = rightsOf(name).one;
    await allow([server], rights);
    const { client, close } = await connect(
      server.url.replace('//', `//${LOGIN.username}:${LOGIN.password}@`),
    );
    try {
      await share(client, ['limited'], async () => {});
      await expectNoMore([server], rights);
    } finally {
      close();
    }
  });
});

describe.runIf(program !== undefined)('a cluster of three', () => {
  let nodes: TestCluster;
  let servers: readonly TestServer[] = [];
  beforeAll(async () => {
    nodes = await TestCluster.start();
    servers = nodes.servers;
  }, 30_000);
  afterAll(() => nodes[Symbol.asyncDispose]());

  test.each(clusterClients)('through %s', { timeout: 20_000 }, async (name, connect) => {
    const { client, close } = await connect(servers[0]?.port ?? 0);
    // The keys are on all three nodes, and each node needs the script.
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `${letter} ${name}`);
    const forget = (): Promise<unknown> =>
      Promise.all(servers.map((server) => server.command('SCRIPT FLUSH')));
    try {
      await share(client, keys, forget);
      const sizes = await Promise.all(servers.map((server) => server.command('DBSIZE')));
      expect(sizes).not.toContain(':0');
    } finally {
      close();
    }
  });

  test.each(clusterClients)(
    'through %s, with only the rights that the README lists',
    { timeout: 20_000 },
    async (name, connect) => {
      const rights = rightsOf(name).cluster;
      await allow(servers, rights);
      const { client, close } = await connect(servers[0]?.port ?? 0, LOGIN);
      try {
        const keys = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `limited ${letter} ${name}`);
        await share(client, keys, async () => {});
        await expectNoMore(servers, rights);
      } finally {
        close();
      }
    },
  );
});

test('a value that is not a client is rejected', () => {
  const others = [
    undefined,
    null,
    {},
    'redis://127.0.0.1',
    { evalsha: () => {} },
  ] as unknown as ValkeyClient[];
  for (const client of others) {
    expect(() => valkeyBucket({ client, key: 'k', refillPerSecond: 1 })).toThrow(
      /client must be a client of/,
    );
  }
});

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
