import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clients, variants } from '../test/clients.ts';
import { program, startServer, type TestServer } from '../test/server.ts';
import { slowConnections } from '../test/wire.ts';
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
});
