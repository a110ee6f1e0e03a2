import { nextTurn } from '@ebb/core/bucket';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clients, variants } from '../test/clients.ts';
import { program, startServer, type TestServer } from '../test/server.ts';
import { blockFor, slowConnections } from '../test/wire.ts';
import { type StoreEvent, type ValkeyBucketOptions, type ValkeyClient, valkeyBucket } from './index.ts';

const all = Object.entries({ ...clients, ...variants }).filter(([name]) => !/listener|RESP|two/.test(name));

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

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

describe.runIf(program !== undefined).each(all)('through %s', (_, open) => {
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
        using opened = await open({ port: wire.port });
        await using bucket = bucketOf(opened.client, { onStoreError });
        const { conforming } = await bucket.acquire();
        return { conforming, events: bucket.events };
      };
      const fates = await Promise.all(Array.from({ length: 10 }, first));
      expect(fates).toEqual(Array(10).fill({ conforming: true, events: [] }));
    },
  );

  // After some of these turns the call is on its way, after others the reply is in the socket.
  test.each([0, 1, 2, 4])('nor if the event loop is blocked for longer, %i turns later', async (count) => {
    using opened = await open({ port: server.port });
    await using bucket = bucketOf(opened.client);
    const asked = bucket.acquire();
    await turns(count);
    blockFor(70);
    expect(await asked).toMatchObject({ conforming: true });
    expect(bucket.events).toEqual([]);
  });

  test('a blocked event loop does not count as a lost store', async () => {
    using opened = await open({ port: server.port });
    // Each request costs more than was leased, so that it makes a call.
    await using bucket = bucketOf(opened.client, { onStoreError: 'open', lease: { aheadMs: 1 } });
    await using patient = bucketOf(opened.client);
    await patient.acquire();
    for (const count of [0, 1, 2, 3, 5]) {
      // What was leased in advance, because the store seemed far away, goes back.
      await expect.poll(() => bucket.stats().leased).toBe(0);
      const { calls } = bucket.stats();
      const asked = bucket.acquire({ cost: 5 });
      await turns(count);
      blockFor(70);
      expect(await asked).toMatchObject({ conforming: true });
      expect(bucket.stats().calls).toBeGreaterThan(calls);
    }
    expect(bucket.events).toEqual([]);
  });
});
