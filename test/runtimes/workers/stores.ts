// The worker of workers-valkey.test.ts, which bundles it.
import { createFetch } from '@ebb/fetch';
import { valkeyBucket, valkeyBudget } from '@ebb/valkey';
import { Redis } from 'iovalkey';

declare const STORE: string;

function make() {
  const client = new Redis(STORE).on('error', () => undefined);
  const options = { client, key: 'workers' };
  const bucket = valkeyBucket({ ...options, refillPerSecond: 20, capacity: 1 });
  return {
    bucket: createFetch({ bucket }),
    budget: createFetch({ budget: valkeyBudget(options), backoff: () => 50 }),
    close: () => client.disconnect(),
  };
}

let shared: ReturnType<typeof make> | undefined;

export default {
  async fetch(request: Request): Promise<Response> {
    const { limit, scope, to } = (await request.json()) as Record<string, string>;
    if (scope === 'first request') shared ??= make();
    const own = scope === 'first request' ? undefined : make();
    const clients = own ?? shared;
    const fetch = limit === 'bucket' ? clients?.bucket : clients?.budget;
    try {
      const response = await fetch?.(String(to));
      return new Response(`${response?.status} ${await response?.text()}`);
    } catch (error) {
      return new Response(String(error));
    } finally {
      own?.close();
    }
  },
};
