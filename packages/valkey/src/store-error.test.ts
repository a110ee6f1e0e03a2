import { EventEmitter } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { createServer } from 'node:tls';
import { inspect } from 'node:util';
import { GlideClient, Logger } from '@valkey/valkey-glide';
import { Redis as IORedis } from 'ioredis';
import { Cluster, Redis } from 'iovalkey';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { selfSigned } from '../../../test/runtimes/certificate.ts';
import { program, startServer, type TestServer } from '../test/server.ts';
import { listen, otherProtocol, type Wire } from '../test/wire.ts';
import { type StoreEvent, type ValkeyBucketOptions, type ValkeyClient, valkeyBucket } from './index.ts';
import { isPermanent } from './store-error.ts';

Logger.setLoggerConfig('off');

interface Address {
  readonly port: number;
  readonly tls?: boolean;
  readonly username?: string;
  readonly password?: string;
}

interface Opened extends Disposable {
  readonly client: ValkeyClient;
}

const host = '127.0.0.1';

function openRedis(kind: typeof Redis | typeof IORedis, { port, tls, ...login }: Address): Redis {
  return new (kind as typeof Redis)({ host, port, ...(tls && { tls: {} }), ...login });
}

const throughNode: Readonly<Record<string, (address: Address) => Promise<Opened>>> = {
  iovalkey: async (address) => {
    const client = openRedis(Redis, address).on('error', () => {});
    return { client, [Symbol.dispose]: () => client.disconnect() };
  },
  ioredis: async (address) => {
    const client = openRedis(IORedis, address).on('error', () => {});
    return { client, [Symbol.dispose]: () => client.disconnect() };
  },
  'iovalkey without a listener': async (address) => {
    const client = openRedis(Redis, address);
    return { client, [Symbol.dispose]: () => client.disconnect() };
  },
  'ioredis without a listener': async (address) => {
    const client = openRedis(IORedis, address);
    return { client, [Symbol.dispose]: () => client.disconnect() };
  },
  redis: async ({ port, tls, ...login }) => {
    const socket = tls ? ({ host, port, tls: true } as const) : { host, port };
    const client = createClient({ ...login, socket }).on('error', () => {});
    client.connect().catch(() => {});
    return { client, [Symbol.dispose]: () => client.destroy() };
  },
};

const all: typeof throughNode = {
  ...throughNode,
  '@valkey/valkey-glide': async ({ port, tls = false, username, password }) => {
    const credentials = password === undefined ? undefined : { password, ...(username && { username }) };
    const addresses = [{ host, port }];
    const client = await GlideClient.createClient({
      ...{ addresses, useTLS: tls, lazyConnect: true },
      ...(credentials && { credentials }),
    });
    return { client, [Symbol.dispose]: () => client.close() };
  },
};

const printed = vi.spyOn(console, 'error');
beforeEach(() => {
  printed.mockReset().mockReturnValue();
});
afterAll(() => printed.mockRestore());

/** What a first request is told, and `onStoreEvent` with it. */
async function toldBy(opened: Opened, options: Partial<ValkeyBucketOptions> = {}): Promise<string> {
  const events: StoreEvent[] = [];
  await using bucket = valkeyBucket({
    ...{ client: opened.client, key: 'told', refillPerSecond: 1, onStoreError: 'closed' },
    onStoreEvent: (event) => events.push(event),
    ...options,
  });
  const error = await bucket.acquire().catch((error: unknown) => error);
  expect(error).toMatchObject({ name: 'ThrottledError', reason: 'unavailable' });
  expect(events).toMatchObject([{ type: 'lost' }]);
  const [lost] = events as [StoreEvent & { type: 'lost' }];
  const { message, cause } = error as Error;
  expect(cause).toBe(lost.error);
  expect(message).toContain((lost.error as Error).message.trim());
  // Neither shows the password, however deep one looks.
  expect(inspect([error, events], { depth: 20 })).not.toContain('not the password');
  return message;
}

test.each<[message: string, permanent: boolean]>([
  ['ERR max number of clients reached', false],
  ['An error was signalled by the server: - ResponseError: ERR max number of clients reached', false],
  ['LOADING Redis is loading the dataset in memory', false],
  ['connect ECONNREFUSED 127.0.0.1:6379', false],
  ["ERR unknown command 'EVALSHA'", true],
  ['NOAUTH Authentication required.', true],
])('%s: permanent is %s', (message, permanent) => {
  expect(isPermanent(new Error(message))).toBe(permanent);
});

describe.runIf(program !== undefined)('a server that wants a password', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await server.command('ACL SETUSER limited on >secret +get ~*');
    await server.command('ACL SETUSER default >password');
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(Object.entries(all))('and has none from %s', async (_, open) => {
    using opened = await open({ port: server.port });
    expect(await toldBy(opened)).toMatch(/NOAUTH/);
  });

  test.each(Object.entries(all))('and has a wrong one from %s', async (_, open) => {
    using opened = await open({ port: server.port, password: 'not the password' });
    expect(await toldBy(opened)).toMatch(/WRONGPASS/);
  });

  test.each(Object.entries(all))('and a user that may not do it, from %s', async (_, open) => {
    using opened = await open({ port: server.port, username: 'limited', password: 'secret' });
    expect(await toldBy(opened)).toMatch(/NOPERM|PermissionDenied/);
  });
});

describe('TLS', () => {
  let secure: Wire;
  let plain: Wire;
  beforeAll(async () => {
    secure = await listen(createServer(selfSigned(), (socket) => socket.on('error', () => {})));
    plain = await otherProtocol();
  });
  afterAll(async () => {
    await secure[Symbol.asyncDispose]();
    await plain[Symbol.asyncDispose]();
  });

  test.each(Object.entries(throughNode))('of a server that %s does not trust', async (_, open) => {
    using opened = await open({ port: secure.port, tls: true });
    expect(await toldBy(opened)).toMatch(/self-signed certificate/);
  });

  test.each(Object.entries(throughNode))('that the server does not speak, but %s', async (_, open) => {
    using opened = await open({ port: plain.port, tls: true });
    expect(await toldBy(opened)).toMatch(/wrong version number|packet length too long/);
  });

  test.each(Object.entries(throughNode))('that the server speaks, and %s does not', async (_, open) => {
    using opened = await open({ port: secure.port });
    // That a connection breaks may pass, so it is waited for.
    expect(await toldBy(opened, { connectTimeoutMs: 300 })).toMatch(
      /ECONNRESET|closed unexpectedly|no connection yet/,
    );
  });
});

describe('a connection', () => {
  test.each(Object.entries(throughNode))('that is refused to %s', async (_, open) => {
    const wire = await otherProtocol();
    await wire[Symbol.asyncDispose]();
    using opened = await open({ port: wire.port });
    expect(await toldBy(opened, { connectTimeoutMs: 300 })).toMatch(/within \d+ ms: connect ECONNREFUSED/);
  });

  test.each(Object.entries(throughNode))('of %s that never comes about', async (_, open) => {
    // As a server does that waits for the end of what it takes for a command.
    await using wire = await listen(createTcpServer((socket) => socket.on('error', () => {}).resume()));
    using opened = await open({ port: wire.port, tls: true });
    expect(await toldBy(opened, { connectTimeoutMs: 300 })).toMatch(
      /within \d+ ms: the client has no connection/,
    );
  });
});

describe.runIf(program !== undefined)('a server that changes its mind', () => {
  // A client that resends what it had sent says the rest to a listener only.
  const listening = Object.entries(throughNode).filter(([name]) => !name.includes('without'));
  test.each(listening)('is told by its own words to %s', async (_, open) => {
    await using server = await startServer();
    using opened = await open({ port: server.port });
    const events: StoreEvent[] = [];
    await using bucket = valkeyBucket({
      ...{ client: opened.client, key: 'k', refillPerSecond: 1_000, capacity: 10, onStoreError: 'closed' },
      onStoreEvent: (event) => events.push(event),
    });
    await bucket.acquire();
    await vi.waitUntil(() => bucket.stats().leased === 0);
    await server.command('CONFIG SET requirepass password');
    // Those who are connected stay known, so the connections end.
    await server.command('AUTH password\r\nCLIENT KILL TYPE normal');
    await expect(bucket.acquire({ cost: 10 })).rejects.toThrow(/NOAUTH/);
  });
});

describe('watching a client', () => {
  const bucketOf = (client: ValkeyClient) => valkeyBucket({ client, key: 'k', refillPerSecond: 1 });

  test('leaves to it what becomes of errors that no one listens for', async () => {
    const iovalkey = new Redis({ lazyConnect: true });
    const redis = createClient();
    const buckets = [bucketOf(iovalkey), bucketOf(redis)];
    iovalkey.silentEmit('error', new Error('as it says'));
    expect(printed).toHaveBeenCalledWith(
      '[ioredis] Unhandled error event:',
      expect.stringContaining('as it says'),
    );
    expect(() => redis.emit('error', new Error('as it throws'))).toThrow('as it throws');
    await Promise.all(buckets.map((bucket) => bucket.close()));
  });

  test.each([
    ['iovalkey', () => new Redis({ lazyConnect: true })],
    ['a cluster of iovalkey', () => new Cluster([7_000], { lazyConnect: true })],
    ['redis', () => createClient()],
  ])('takes one listener for any number of buckets, and none when they are closed (%s)', async (_, make) => {
    const client: EventEmitter & ValkeyClient = make();
    const before = client.eventNames().map((name) => [name, client.listenerCount(name)]);
    const buckets = Array.from({ length: 20 }, () => bucketOf(client));
    for (const name of client.eventNames()) {
      const had = before.find(([other]) => other === name)?.[1] ?? 0;
      expect(client.listenerCount(name)).toBeLessThanOrEqual((had as number) + 1);
    }
    expect(client.eventNames().length).toBeGreaterThan(before.length);
    // Closing twice counts once.
    await buckets[0]?.close();
    await buckets[0]?.close();
    expect(client.eventNames().length).toBeGreaterThan(before.length);
    await Promise.all(buckets.map((bucket) => bucket.close()));
    expect(client.eventNames().map((name) => [name, client.listenerCount(name)])).toEqual(before);
  });

  test('forgets an error when the connection is ready again', async () => {
    const client = Object.assign(new EventEmitter(), {
      evalsha: () => new Promise<never>(() => {}),
      eval: () => new Promise<never>(() => {}),
    });
    client.on('error', () => {});
    const told: string[] = [];
    for (const isOver of [false, true]) {
      const bucket = valkeyBucket({
        ...{ client, key: 'k', refillPerSecond: 1, onStoreError: 'closed' },
        ...{ timeoutMs: 5, connectTimeoutMs: 0 },
      });
      client.emit('error', new Error('of the night'));
      if (isOver) client.emit('ready');
      told.push(String(await bucket.acquire().catch((error: unknown) => error)));
      await bucket.close();
    }
    expect(told).toEqual([expect.stringMatching(/ms: of the night$/), expect.stringMatching(/\d ms$/)]);
  });
});
