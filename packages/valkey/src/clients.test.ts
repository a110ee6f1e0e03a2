import { GlideClient, GlideClusterClient, Logger } from '@valkey/valkey-glide';
import { Redis as IORedis, Cluster as IORedisCluster } from 'ioredis';
import { Cluster, Redis } from 'iovalkey';
import { createClient, createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { hasServer, program, startServer, storeUrl, type TestServer } from '../test/server.ts';
import { type StorePort, type ValkeyClient, valkeyBucket } from './index.ts';

// It would print each NOSCRIPT, and those are looked for here.
Logger.setLoggerConfig('off');

interface Connection {
  readonly client: ValkeyClient;
  close(): unknown;
}

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
    const { hostname: host, port } = new URL(url);
    const client = await GlideClient.createClient({ addresses: [{ host, port: Number(port) }] });
    return { client, close: () => client.close() };
  },
  'a port of two functions': async (url) => {
    const client = new Redis(url);
    const port: StorePort = {
      evalsha: (sha1, key, args) => client.evalsha(sha1, 1, key, ...args),
      eval: (script, key, args) => client.eval(script, 1, key, ...args),
    };
    return { client: port, close: () => client.disconnect() };
  },
};

const cluster: Readonly<Record<string, (port: number) => Promise<Connection>>> = {
  iovalkey: async (port) => {
    const client = new Cluster([{ host: '127.0.0.1', port }]);
    return { client, close: () => client.disconnect() };
  },
  ioredis: async (port) => {
    const client = new IORedisCluster([{ host: '127.0.0.1', port }]);
    return { client, close: () => client.disconnect() };
  },
  redis: async (port) => {
    const client = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
    await client.connect();
    return { client, close: () => client.destroy() };
  },
  '@valkey/valkey-glide': async (port) => {
    const client = await GlideClusterClient.createClient({ addresses: [{ host: '127.0.0.1', port }] });
    return { client, close: () => client.close() };
  },
};

/** Two buckets through one client, of which one finds what the other left. */
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
  let server: TestServer | undefined;
  let admin: Redis;
  let url: string;
  beforeAll(async () => {
    if (program !== undefined) server = await startServer();
    url = server?.url ?? storeUrl ?? '';
    admin = new Redis(url);
  });
  afterAll(async () => {
    admin.disconnect();
    await server?.[Symbol.asyncDispose]();
  });

  test.each(Object.entries(single))('through %s', async (name, connect) => {
    const { client, close } = await connect(url);
    try {
      await share(client, [`clients ${name} ${process.pid}`], () => admin.script('FLUSH'));
    } finally {
      close();
    }
  });
});

describe.runIf(program !== undefined)('a cluster of three', () => {
  let servers: TestServer[] = [];
  beforeAll(async () => {
    servers = await Promise.all([0, 1, 2].map(() => startServer('--cluster-enabled', 'yes')));
    const slots = ['0 5460', '5461 10922', '10923 16383'];
    for (const [index, server] of servers.entries()) {
      await server.command(`CLUSTER ADDSLOTSRANGE ${slots[index]}`);
      await server.command(`CLUSTER MEET 127.0.0.1 ${servers[0]?.port}`);
    }
    await Promise.all(servers.map((server) => server.until('CLUSTER INFO', 'cluster_state:ok')));
    await Promise.all(servers.map((server) => server.until('CLUSTER INFO', 'cluster_known_nodes:3')));
  }, 30_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  });

  test.each(Object.entries(cluster))('through %s', { timeout: 20_000 }, async (name, connect) => {
    const { client, close } = await connect(servers[0]?.port ?? 0);
    // The keys lie on all three nodes, and each is taught the script.
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
});

test('something that is no client is told at once', () => {
  const others = [
    undefined,
    null,
    {},
    'redis://127.0.0.1',
    { evalsha: () => {} },
  ] as unknown as ValkeyClient[];
  for (const client of others) {
    expect(() => valkeyBucket({ client, key: 'k', refillPerSecond: 1 })).toThrow(/client takes a client of/);
  }
});

test('the types of all clients fit', () => {
  expectTypeOf<Redis>().toExtend<ValkeyClient>();
  expectTypeOf<Cluster>().toExtend<ValkeyClient>();
  expectTypeOf<IORedis>().toExtend<ValkeyClient>();
  expectTypeOf<IORedisCluster>().toExtend<ValkeyClient>();
  expectTypeOf<ReturnType<typeof createClient>>().toExtend<ValkeyClient>();
  expectTypeOf<ReturnType<typeof createCluster>>().toExtend<ValkeyClient>();
  expectTypeOf<GlideClient>().toExtend<ValkeyClient>();
  expectTypeOf<GlideClusterClient>().toExtend<ValkeyClient>();
});
