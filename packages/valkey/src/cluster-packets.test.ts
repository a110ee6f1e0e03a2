import { GlideClusterClient, Logger } from '@valkey/valkey-glide';
import { Cluster as IORedisCluster } from 'ioredis';
import { Cluster } from 'iovalkey';
import { createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestCluster } from '../test/cluster.ts';
import { program } from '../test/server.ts';
import { type ValkeyClient, valkeyBucketPerKey } from './index.ts';

Logger.setLoggerConfig('off');

const request = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };
const TENANTS = 300;

type Made = [client: ValkeyClient, close: () => unknown];

describe.skipIf(program === undefined)('in a cluster the calls of one turn go in a few packets', () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await TestCluster.start();
  });

  afterAll(() => cluster[Symbol.asyncDispose]());

  test.each<[name: string, make: (port: number) => Made | Promise<Made>]>([
    [
      'iovalkey',
      (port) => {
        const client = new Cluster([{ host: '127.0.0.1', port }]);
        return [client, () => client.disconnect()];
      },
    ],
    [
      'ioredis',
      (port) => {
        const client = new IORedisCluster([{ host: '127.0.0.1', port }]);
        return [client, () => client.disconnect()];
      },
    ],
    [
      'redis',
      async (port) => {
        const client = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
        await client.connect();
        return [client, () => client.destroy()];
      },
    ],
    [
      'glide',
      async (port) => {
        const client = await GlideClusterClient.createClient({ addresses: [{ host: '127.0.0.1', port }] });
        return [client, () => client.close()];
      },
    ],
  ])('%s', async (name, make) => {
    const [client, close] = await make(cluster.portOf(0));
    const limits = { refillPerSecond: 0.1, capacity: 10, timeoutMs: 5_000 };
    const buckets = valkeyBucketPerKey({ client, key: name, ...limits });
    const askAll = (round: string): Promise<unknown> =>
      Promise.all(
        Array.from({ length: TENANTS }, (_, at) => buckets.for(request, `${round} ${at}`).acquire()),
      );
    // Connects to all nodes, and gives them the script.
    await askAll('first');
    const [reads, calls] = [await cluster.reads(), buckets.stats().calls];
    await askAll('second');
    expect(buckets.stats().calls - calls).toBeGreaterThanOrEqual(TENANTS);
    // A server reads 16 kB at a time; each call by itself takes some 160 reads.
    expect((await cluster.reads()) - reads).toBeLessThanOrEqual(60);
    await buckets.close();
    close();
  });
});
