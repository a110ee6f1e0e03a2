import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestCluster } from '../test/cluster.ts';
import { clusterClients } from '../test/cluster-clients.ts';
import { program } from '../test/server.ts';
import { valkeyBucketPerKey } from './index.ts';

const request = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };
const TENANTS = 300;

describe.skipIf(program === undefined)('in a cluster the calls of one turn go in a few packets', () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await TestCluster.start();
  });

  afterAll(() => cluster[Symbol.asyncDispose]());

  test.each(clusterClients)('%s', async (name, connect) => {
    const { client, close } = await connect(cluster.portOf(0));
    const limits = { refillPerSecond: 0.1, capacity: 10, timeoutMs: 5_000 };
    const buckets = valkeyBucketPerKey({ client, key: name.replace('@valkey/valkey-', ''), ...limits });
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
