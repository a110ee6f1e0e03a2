import { createPolicy, retry, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import pRetry from 'p-retry';
import pThrottle from 'p-throttle';
import type { Port } from '../port.ts';
import { SCRIPTS, type ScriptName } from '../scripts.ts';
import { orThrow, URL_OF_ALL, type World } from '../world.ts';

/** What a policy has that only limits. */
const ONLY_LIMITS = { maxRetries: 0, feedback: false } as const;

const load =
  (world: World) =>
  async (id: number): Promise<Response> =>
    orThrow(await world.fetch(`${URL_OF_ALL}/${id}`));

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How each of some calls ends. */
const each = (count: number, call: (id: number) => Promise<unknown>): Promise<unknown[]> =>
  Promise.all(Array.from({ length: count }, (_, id) => call(id).catch((error: unknown) => error)));

export const ROWS: readonly Port[] = [
  {
    shape: '`limit`, `interval`',
    original(world) {
      const limited = pThrottle({ limit: 2, interval: 1_000 })(load(world));
      return each(7, (id) => limited(id));
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 2, refillPerSecond: 2, refillIntervalMs: 1_000 });
      const policy = createPolicy({ ...ONLY_LIMITS, bucket });
      return each(7, (id) => retry(() => load(world)(id), policy));
    },
  },
  {
    shape: 'one call in each interval',
    original(world) {
      const limited = pThrottle({ limit: 1, interval: 400 })(load(world));
      return each(5, (id) => limited(id));
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 2.5 });
      const policy = createPolicy({ ...ONLY_LIMITS, bucket });
      return each(5, (id) => retry(() => load(world)(id), policy));
    },
  },
  {
    shape: '`fetch` itself, in front of a client',
    original(world) {
      const limited = pThrottle({ limit: 3, interval: 1_000 })(world.fetch);
      return each(7, () => limited(URL_OF_ALL));
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 3, refillPerSecond: 3, refillIntervalMs: 1_000 });
      const limited = createFetch({ ...ONLY_LIMITS, bucket }, world.fetch);
      return each(7, () => limited(URL_OF_ALL));
    },
  },
  {
    shape: 'p-retry around it: retries wait for their turn as well',
    original(world) {
      const limited = pThrottle({ limit: 2, interval: 1_000 })(load(world));
      return each(3, (id) => pRetry(() => limited(id), { retries: 2, minTimeout: 500 }));
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 2, refillPerSecond: 2, refillIntervalMs: 1_000 });
      const policy = createPolicy({
        maxRetries: 2,
        backoff: ({ retry }) => 500 * 2 ** (retry - 1),
        feedback: false,
        classify: (outcome) =>
          outcome.type === 'response' && outcome.status === 0 ? 'success' : 'transient',
        bucket,
      });
      return each(3, (id) => retry(() => load(world)(id), policy));
    },
    differs: {
      because: 'retries go before calls that have not been sent',
      in: ['only 503', 'only resets', 'a 404', 'aborted in a wait'],
    },
  },
  {
    shape: '`onDelay`, which logs',
    original(world) {
      const limited = pThrottle({ limit: 2, interval: 500, onDelay: () => world.log('waits') })(load(world));
      return each(4, (id) => limited(id));
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 2, refillPerSecond: 4, refillIntervalMs: 500 });
      const policy = createPolicy({
        ...ONLY_LIMITS,
        bucket,
        onEvent: (event) => event.type === 'wait' && world.log('waits'),
      });
      return each(4, (id) => retry(() => load(world)(id), policy));
    },
  },
  {
    shape: '`signal`, which ends all that wait',
    original(world) {
      const limited = pThrottle({ limit: 1, interval: 2_000, signal: world.signal })(load(world));
      return each(4, (id) => limited(id));
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.5 });
      return each(4, async (id) => {
        await bucket.acquire({ signal: world.signal });
        return load(world)(id);
      });
    },
  },
  {
    shape: '`strict`, calls that come one by one',
    original(world) {
      const limited = pThrottle({ limit: 2, interval: 1_000, strict: true })(load(world));
      return each(6, async (id) => {
        await sleep(id * 350);
        return limited(id);
      });
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 2 });
      const policy = createPolicy({ ...ONLY_LIMITS, bucket });
      return each(6, async (id) => {
        await sleep(id * 350);
        return retry(() => load(world)(id), policy);
      });
    },
    differs: {
      because: 'a bucket has no sliding window: its calls are spread, and as many',
      in: Object.keys(SCRIPTS) as ScriptName[],
    },
  },
];
