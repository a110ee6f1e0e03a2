import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'iovalkey';
import { afterEach, describe, expect, test } from 'vitest';
import { program, startServer, type TestServer } from '../test/server.ts';
import { type StoreEvent, type ValkeyBucket, type ValkeyBucketOptions, valkeyBucket } from './index.ts';

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

type ObservedBucket = ValkeyBucket & { readonly events: StoreEvent[] };

function bucketOf(server: TestServer, options: Partial<ValkeyBucketOptions> = {}): ObservedBucket {
  const events: StoreEvent[] = [];
  const onStoreEvent = (event: StoreEvent): void => {
    events.push(event);
  };
  const common = { client: clientOf(server), key: 'k', refillPerSecond: 1, capacity: 50, onStoreEvent };
  return Object.assign(valkeyBucket({ ...common, ...options }), { events });
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 4_000 && !condition(); tries += 1) await pause(10);
  expect(condition()).toBe(true);
}

const RATE = 1_000;
const CAPACITY = 200;
const MAX_WAIT_MS = 5_000;

/** Four buckets with a connection each, whose callers acquire tokens as fast as they get them. */
async function underLoad(server: TestServer, trouble: () => Promise<void>): Promise<void> {
  const quota = { refillPerSecond: RATE, capacity: CAPACITY, retryMs: 200 };
  const buckets = Array.from({ length: 4 }, () => bucketOf(server, quota));
  const granted: number[] = [];
  const lateness: number[] = [];
  const errors: unknown[] = [];
  const startMs = performance.now();
  const lag = monitorEventLoopDelay({ resolution: 5 });
  lag.enable();
  let stopped = false;
  const askers = buckets.flatMap((bucket) =>
    Array.from({ length: 5 }, async () => {
      // The bound ends a loop with a bucket that grants everything.
      while (!stopped && granted.length < 100_000) {
        const askedMs = performance.now();
        try {
          await bucket.acquire({ maxWaitMs: MAX_WAIT_MS });
          granted.push(performance.now());
        } catch (error) {
          if (stopped) return;
          errors.push(error);
          // A bucket that rejects at once would keep the event loop busy.
          await pause(5);
        }
        lateness.push(performance.now() - askedMs - MAX_WAIT_MS);
      }
    }),
  );
  await pause(500);
  await trouble();
  await until(() => buckets.every((bucket) => bucket.stats().mode === 'shared'));
  await pause(500);
  const seconds = (performance.now() - startMs) / 1_000;
  const count = granted.length;
  stopped = true;
  await Promise.all(buckets.map((bucket) => bucket.close()));
  await Promise.all(askers);

  for (const { events } of buckets) expect(events.map(({ type }) => type)).toEqual(['lost', 'back']);
  expect(errors).toEqual([]);
  // On a busy machine everything is as late as the timers are.
  lag.disable();
  expect(Math.max(...lateness)).toBeLessThan(250 + lag.max / 1e6);
  granted.forEach((atMs, index) => {
    const mostAtMs = CAPACITY + (RATE * (atMs - startMs)) / 1_000;
    expect(index + 1).toBeLessThanOrEqual(mostAtMs);
  });
  // Tests under a virtual clock bound what an outage costs. This one checks that the fleet goes on.
  expect(count).toBeGreaterThan((CAPACITY + RATE * seconds) * 0.3);
}

describe.runIf(program !== undefined)('under load', () => {
  test('a server that hangs for a while', { timeout: 60_000 }, async () => {
    await using server = await startServer();
    await underLoad(server, async () => {
      server.freeze();
      await pause(1_200);
      server.thaw();
    });
  });

  test('a server that is killed and restarts without data', { timeout: 60_000 }, async () => {
    await using server = await startServer();
    await underLoad(server, async () => {
      await server.kill();
      await pause(800);
      await server.start();
    });
  });
});

describe.runIf(program !== undefined)('a store that loses the bucket repeatedly, under load', () => {
  /** What four buckets that have seen each other spend while the store loses data. */
  async function spentWhile(server: TestServer, forget: () => Promise<unknown>) {
    const quota = { refillPerSecond: RATE, capacity: CAPACITY, retryMs: 200 };
    const buckets = Array.from({ length: 4 }, () => bucketOf(server, quota));
    let [granted, stopped] = [0, false];
    const askers = buckets.flatMap((bucket) =>
      Array.from({ length: 8 }, async () => {
        while (!stopped) {
          await bucket.acquire().catch(() => {});
          granted += 1;
        }
      }),
    );
    await pause(1_000);
    const [before, startMs] = [granted, performance.now()];
    await forget();
    const [spent, ms] = [granted - before, performance.now() - startMs];
    stopped = true;
    await Promise.all(buckets.map((bucket) => bucket.close()));
    await Promise.all(askers);
    const refilled = (RATE * ms) / 1_000;
    return { spent, refilled, buckets };
  }

  test('because it is deleted every 15 ms', { timeout: 60_000 }, async () => {
    await using server = await startServer();
    const { spent, refilled, buckets } = await spentWhile(server, async () => {
      for (let times = 0; times < 100; times += 1) {
        await server.command('DEL ebb:{k}');
        await pause(15);
      }
    });
    // One extra capacity for each time in which the bucket fills would be twice the rate.
    expect(spent).toBeLessThanOrEqual(CAPACITY + 2 * refilled);
    for (const { events } of buckets) {
      expect(events[0]).toMatchObject({ type: 'lost', error: { name: 'ForgetfulStoreError' } });
      // The store counts four processes, or each of them twice.
      expect((events[0] as { share?: number }).share).toBeGreaterThan(0.1);
    }
  });

  test('because any key may be evicted', { timeout: 60_000 }, async () => {
    await using server = await startServer('--maxmemory', '2mb', '--maxmemory-policy', 'allkeys-random');
    const { spent, refilled } = await spentWhile(server, async () => {
      for (let times = 0; times < 150; times += 1) {
        const keys = Array.from({ length: 50 }, (_, at) => `filler:${times}:${at} ${'x'.repeat(500)}`);
        await server.command(`MSET ${keys.join(' ')}`);
        await pause(8);
      }
    });
    expect(Number(/evicted_keys:(\d+)/.exec(await server.command('INFO stats'))?.[1])).toBeGreaterThan(1_000);
    expect(spent).toBeLessThanOrEqual(CAPACITY + 2 * refilled);
  });
});

describe.runIf(program !== undefined)('a server', () => {
  test('that restarts with its data goes on with the same state', { timeout: 60_000 }, async () => {
    await using server = await startServer('--appendonly', 'yes', '--appendfsync', 'always');
    const one = bucketOf(server);
    await one.acquire({ cost: 40 });
    await one.close();
    await server.kill();
    await server.start();
    const other = bucketOf(server, { nonConforming: 'reject' });
    await expect(other.acquire({ cost: 20 })).rejects.toMatchObject({ reason: 'not-conforming' });
    await other.acquire({ cost: 9 });
    await other.close();
  });

  test('that restarts without data gets the state from a process', { timeout: 60_000 }, async () => {
    await using server = await startServer();
    const earlier = bucketOf(server, { nonConforming: 'reject', retryMs: 100, onStoreError: 'closed' });
    await earlier.acquire({ cost: 40 });
    await server.kill();
    await server.start();
    await until(() => {
      earlier.tryAcquire(1);
      return earlier.stats().mode === 'shared' && earlier.stats().leased > 0;
    });
    const fresh = bucketOf(server, { nonConforming: 'reject' });
    await expect(fresh.acquire({ cost: 20 })).rejects.toMatchObject({ reason: 'not-conforming' });
    await Promise.all([earlier.close(), fresh.close()]);
  });

  test('whose memory is full causes an OOM error until there is room', {
    timeout: 60_000,
  }, async () => {
    await using server = await startServer('--maxmemory-policy', 'noeviction');
    await server.command('CONFIG SET maxmemory 1');
    const bucket = bucketOf(server, { onStoreError: 'closed', retryMs: 100 });
    await expect(bucket.acquire()).rejects.toMatchObject({ reason: 'unavailable' });
    expect(String((bucket.events[0] as { error?: unknown }).error)).toContain('OOM');
    await server.command('CONFIG SET maxmemory 0');
    await until(() => {
      bucket.tryAcquire();
      return bucket.stats().mode === 'shared';
    });
    await bucket.acquire();
    await bucket.close();
  });

  test('that is a replica is read-only; when promoted, it has the data', {
    timeout: 60_000,
  }, async () => {
    await using primary = await startServer('--repl-diskless-sync-delay', '0');
    await using replica = await startServer('--replicaof', '127.0.0.1', `${primary.port}`);
    await replica.until('INFO replication', 'master_link_status:up');
    const one = bucketOf(primary);
    await one.acquire({ cost: 40 });
    await one.close();
    await primary.until('INFO replication', 'lag=0');
    const bucket = bucketOf(replica, { onStoreError: 'closed', retryMs: 100, nonConforming: 'reject' });
    await expect(bucket.acquire()).rejects.toMatchObject({ reason: 'unavailable' });
    expect(String((bucket.events[0] as { error?: unknown }).error)).toContain('READONLY');
    await pause(300);
    // The retries find a server that replies, but is still read-only.
    expect(bucket.events.map(({ type }) => type)).toEqual(['lost']);
    await replica.command('REPLICAOF NO ONE');
    await until(() => {
      bucket.tryAcquire();
      return bucket.stats().mode === 'shared';
    });
    await expect(bucket.acquire({ cost: 20 })).rejects.toMatchObject({ reason: 'not-conforming' });
    await bucket.close();
  });

  test('that allows only the rights that the README lists', { timeout: 60_000 }, async () => {
    await using server = await startServer();
    const rights = '+eval +evalsha +time +get +set ~ebb:*';
    await server.command(`ACL SETUSER limited on >secret ${rights}`);
    const client = new Redis(server.url.replace('//', '//limited:secret@'), { enableReadyCheck: false });
    clients.push(client);
    const bucket = bucketOf(server, { client });
    await bucket.acquire({ cost: 30 });
    bucket.pauseFor(10);
    await bucket.close();
    expect(bucket.events).toEqual([]);
    const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    expect(page).toContain(`\`${rights}\``);
    const other = bucketOf(server, { client, prefix: 'other:', onStoreError: 'closed' });
    await expect(other.acquire()).rejects.toMatchObject({ reason: 'unavailable' });
    expect(String((other.events[0] as { error?: unknown }).error)).toContain('NOPERM');
  });

  test('with another type of value under the key', { timeout: 60_000 }, async () => {
    await using server = await startServer();
    await server.command('LPUSH ebb:{k} entry');
    const bucket = bucketOf(server, { localShare: 0.5, refillPerSecond: 100 });
    await bucket.acquire();
    expect(String((bucket.events[0] as { error?: unknown }).error)).toContain('WRONGTYPE');
    expect(bucket.stats().mode).toBe('local');
    await bucket.close();
  });

  test('whose scripts are flushed gets them again, under load', { timeout: 60_000 }, async () => {
    await using server = await startServer();
    const bucket = bucketOf(server, { refillPerSecond: 2_000, capacity: 100 });
    const flushing = (async () => {
      for (let times = 0; times < 20; times += 1) {
        await server.command('SCRIPT FLUSH');
        await pause(10);
      }
    })();
    for (let rounds = 0; rounds < 40; rounds += 1) {
      await Promise.all(Array.from({ length: 10 }, () => bucket.acquire()));
    }
    await flushing;
    expect(bucket.events).toEqual([]);
    await bucket.close();
  });
});

describe.runIf(program !== undefined)('a client', () => {
  test('that is closed counts as a lost store', { timeout: 60_000 }, async () => {
    await using server = await startServer();
    const client = clientOf(server);
    const bucket = bucketOf(server, { client, onStoreError: 'open' });
    await bucket.acquire();
    await pause(300);
    client.disconnect();
    expect(await bucket.acquire()).toMatchObject({ conforming: false });
    await bucket.close();
  });
});
