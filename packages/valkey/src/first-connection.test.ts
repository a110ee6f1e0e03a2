import { nextTurn } from '@ebb/core/bucket';
import { GlideClient, Logger } from '@valkey/valkey-glide';
import { Redis as IORedis } from 'ioredis';
import { Redis } from 'iovalkey';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program, startServer, type TestServer } from '../test/server.ts';
import { blockFor, slowConnections } from '../test/wire.ts';
import { type StoreEvent, type ValkeyBucketOptions, type ValkeyClient, valkeyBucket } from './index.ts';

Logger.setLoggerConfig('off');

interface Opened extends Disposable {
  readonly client: ValkeyClient;
}

/** Clients whose connection is not awaited. */
const clients: Readonly<Record<string, (port: number) => Promise<Opened>>> = {
  iovalkey: async (port) => {
    const client = new Redis(port, '127.0.0.1').on('error', () => {});
    return { client, [Symbol.dispose]: () => client.disconnect() };
  },
  'iovalkey without a queue': async (port) => {
    const client = new Redis(port, '127.0.0.1', { enableOfflineQueue: false }).on('error', () => {});
    return { client, [Symbol.dispose]: () => client.disconnect() };
  },
  ioredis: async (port) => {
    const client = new IORedis(port, '127.0.0.1').on('error', () => {});
    return { client, [Symbol.dispose]: () => client.disconnect() };
  },
  redis: async (port) => {
    const client = createClient({ socket: { host: '127.0.0.1', port } }).on('error', () => {});
    client.connect().catch(() => {});
    return { client, [Symbol.dispose]: () => client.destroy() };
  },
  'redis without a queue': async (port) => {
    const client = createClient({ socket: { host: '127.0.0.1', port }, disableOfflineQueue: true });
    client
      .on('error', () => {})
      .connect()
      .catch(() => {});
    return { client, [Symbol.dispose]: () => client.destroy() };
  },
  '@valkey/valkey-glide': async (port) => {
    const client = await GlideClient.createClient({
      addresses: [{ host: '127.0.0.1', port }],
      lazyConnect: true,
    });
    return { client, [Symbol.dispose]: () => client.close() };
  },
};

let named = 0;

function bucketOf(client: ValkeyClient, options: Partial<ValkeyBucketOptions> = {}) {
  const events: StoreEvent[] = [];
  named += 1;
  const bucket = valkeyBucket({
    ...{ client, key: `first ${named}`, refillPerSecond: 1, capacity: 1_000, timeoutMs: 50 },
    onStoreEvent: (event) => events.push(event),
    ...options,
  });
  return Object.assign(bucket, { events });
}

describe.runIf(program !== undefined).each(Object.entries(clients))('through %s', (_, open) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(['local', 'closed'] as const)(
    'no first request is refused though connecting takes longer than timeoutMs (%s)',
    async (onStoreError) => {
      await using wire = await slowConnections(server.port, 80);
      const first = async (): Promise<unknown> => {
        using opened = await open(wire.port);
        await using bucket = bucketOf(opened.client, { onStoreError });
        const { conforming } = await bucket.acquire();
        return { conforming, events: bucket.events };
      };
      const all = await Promise.all(Array.from({ length: 10 }, first));
      expect(all).toEqual(Array(10).fill({ conforming: true, events: [] }));
    },
  );

  // After some of these turns the call is on its way, after others the reply is in the socket.
  test.each([0, 1, 2, 4])('nor if the event loop is blocked for longer, %i turns later', async (turns) => {
    using opened = await open(server.port);
    await using bucket = bucketOf(opened.client);
    const asked = bucket.acquire();
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    blockFor(70);
    expect(await asked).toMatchObject({ conforming: true });
    expect(bucket.events).toEqual([]);
  });

  test('a blocked event loop does not count as a lost store', async () => {
    using opened = await open(server.port);
    // Each request costs more than was leased, so that it makes a call.
    await using bucket = bucketOf(opened.client, { onStoreError: 'open', lease: { aheadMs: 1 } });
    await using patient = bucketOf(opened.client);
    await patient.acquire();
    for (const turns of [0, 1, 2, 3, 5]) {
      // What was leased in advance, because the store seemed far away, goes back.
      await expect.poll(() => bucket.stats().leased).toBe(0);
      const { calls } = bucket.stats();
      const asked = bucket.acquire({ cost: 5 });
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      blockFor(70);
      expect(await asked).toMatchObject({ conforming: true });
      expect(bucket.stats().calls).toBeGreaterThan(calls);
    }
    expect(bucket.events).toEqual([]);
  });
});

test.runIf(program !== undefined)('with the default timeoutMs', async () => {
  await using server = await startServer();
  await using wire = await slowConnections(server.port, 400);
  using opened = await (clients.iovalkey as (port: number) => Promise<Opened>)(wire.port);
  await using bucket = bucketOf(opened.client, { timeoutMs: undefined });
  const first = Promise.all(Array.from({ length: 10 }, () => bucket.acquire()));
  blockFor(300);
  expect((await first).every(({ conforming }) => conforming)).toBe(true);
  expect(bucket.events).toEqual([]);
});
