import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'iovalkey';
import { afterEach, describe, expect, test } from 'vitest';
import { RealFleet } from '../test/real-fleet.ts';
import { program, startServer, type TestServer } from '../test/server.ts';
import { type StoreEvent, type ValkeyBucketOptions, valkeyBucket, valkeyBudget } from './index.ts';

const timeout = 60_000;

const clients: Redis[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});

function clientOf(server: TestServer): Redis {
  const client = new Redis(server.url);
  // Without a listener the client prints every failed connection.
  client.on('error', () => {});
  clients.push(client);
  return client;
}

function bucketOf(server: TestServer, options: Partial<ValkeyBucketOptions> = {}) {
  const events: StoreEvent[] = [];
  const bucket = valkeyBucket({
    ...{ client: clientOf(server), key: 'k', refillPerSecond: 1, capacity: 50, retryMs: 100 },
    onStoreEvent: (event) => void events.push(event),
    ...options,
  });
  /** Asks until the store is back. */
  const back = () =>
    expect.poll(() => [bucket.tryAcquire(), bucket.stats().mode][1], { timeout: 40_000 }).toBe('shared');
  return Object.assign(bucket, { events, back });
}

/** Does this to the server, and starts it again if it was killed. */
const troubles: readonly [what: string, trouble: (server: TestServer) => Promise<void>][] = [
  [
    'hangs for a while',
    async (server) => {
      server.freeze();
      await pause(1_200);
      server.thaw();
    },
  ],
  [
    'is killed, and restarts without data',
    async (server) => {
      await server.kill();
      await pause(1_500);
      await server.start();
    },
  ],
];

describe.runIf(program !== undefined).each(troubles)('a server that %s', (_, trouble) => {
  test('under load is lost, and back, and the fleet keeps to the quota', { timeout }, async () => {
    await using server = await startServer();
    const connections = [0, 1, 2, 3].map(() => clientOf(server));
    const quota = { refillPerSecond: 1_000, capacity: 200, retryMs: 200 };
    const fleet = new RealFleet(connections, 'k', quota);
    await pause(500);
    await trouble(server);
    const modes = () => fleet.buckets.map((bucket) => bucket.stats().mode);
    await expect.poll(modes, { timeout: 40_000 }).toEqual(Array(4).fill('shared'));
    await pause(500);
    const { used } = fleet;
    await fleet.stop();
    for (const events of fleet.events) expect(events.map(({ type }) => type)).toEqual(['lost', 'back']);
    expect(fleet.errors).toEqual([]);
    expect(fleet.mostUsed).toBeLessThanOrEqual(1);
    // Tests under a virtual clock bound what an outage costs. This one checks that the fleet goes on.
    expect(used).toBeGreaterThan(0.3);
  });

  test('is lost to a budget, and back', { timeout }, async () => {
    await using server = await startServer();
    const events = [0, 1, 2].map((): string[] => []);
    const budgets = events.map((types) =>
      valkeyBudget({
        ...{ client: clientOf(server), key: 'k', ratio: 0.1, reserve: 10, windowMs: 1_000 },
        onStoreEvent: ({ type }) => void types.push(type),
      }),
    );
    let [succeeded, retried, isOver] = [0, 0, false];
    const startMs = performance.now();
    const working = budgets.map(async (budget) => {
      for (let request = 0; !isOver; request += 1) {
        budget.begin();
        await pause(2);
        if (request % 3 > 0) {
          budget.deposit();
          succeeded += 1;
        } else if (budget.withdraw()) retried += 1;
        budget.end();
      }
    });
    await pause(500);
    await trouble(server);
    const modes = () => budgets.map((budget) => budget.stats().mode);
    await expect
      .poll(() => [events.flat().length > 0, ...modes()], { timeout: 40_000 })
      .toEqual([true, ...['shared', 'shared', 'shared']]);
    isOver = true;
    await Promise.all([...working, ...budgets.map((budget) => budget.close())]);
    for (const types of events.filter(({ length }) => length > 0))
      expect(types.slice(0, 2)).toEqual(['lost', 'back']);
    const windows = (performance.now() - startMs) / 1_000;
    // The reserve in the store, that of the new key, and the local reserves.
    expect(retried).toBeLessThanOrEqual(10 * (2 + windows) + 0.1 * succeeded);
    expect(retried).toBeGreaterThan(0.04 * succeeded);
  });
});

describe.runIf(program !== undefined)('a server', () => {
  test('whose memory is full causes an OOM error until there is room', { timeout }, async () => {
    await using server = await startServer('--maxmemory-policy', 'noeviction');
    await server.command('CONFIG SET maxmemory 1');
    const bucket = bucketOf(server, { onStoreError: 'closed' });
    await expect(bucket.acquire()).rejects.toMatchObject({ reason: 'unavailable' });
    expect(bucket.events).toMatchObject([{ error: { message: expect.stringContaining('OOM') } }]);
    await server.command('CONFIG SET maxmemory 0');
    await bucket.back();
    await bucket.acquire();
    await bucket.close();
  });

  test('that is a replica is read-only; when promoted, it has the data', { timeout }, async () => {
    await using primary = await startServer('--repl-diskless-sync-delay', '0');
    await using replica = await startServer('--replicaof', '127.0.0.1', `${primary.port}`);
    await replica.until('INFO replication', 'master_link_status:up');
    const one = bucketOf(primary);
    await one.acquire({ cost: 40 });
    await one.close();
    await primary.until('INFO replication', 'lag=0');
    const bucket = bucketOf(replica, { onStoreError: 'closed', nonConforming: 'reject' });
    await expect(bucket.acquire()).rejects.toMatchObject({ reason: 'unavailable' });
    await pause(300);
    // The retries find a server that replies, but is still read-only.
    expect(bucket.events).toMatchObject([{ error: { message: expect.stringContaining('READONLY') } }]);
    await replica.command('REPLICAOF NO ONE');
    await bucket.back();
    await expect(bucket.acquire({ cost: 20 })).rejects.toMatchObject({ reason: 'not-conforming' });
    await bucket.close();
  });

  test('whose client is closed counts as lost', { timeout }, async () => {
    await using server = await startServer();
    const client = clientOf(server);
    const bucket = bucketOf(server, { client, onStoreError: 'open' });
    await bucket.acquire();
    await expect.poll(() => bucket.stats().leased).toBe(0);
    client.disconnect();
    expect(await bucket.acquire()).toMatchObject({ conforming: false });
    await bucket.close();
  });
});
