import { createPolicy, retry, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import pRetry from 'p-retry';
import pThrottle from 'p-throttle';
import { each, limits, loadEach, loadOne } from '../calls.ts';
import type { Port } from '../port.ts';
import { SCRIPTS, type ScriptName } from '../scripts.ts';
import { URL_OF_ALL } from '../world.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const ROWS: readonly Port[] = [
  {
    shape: '`limit`, `interval`',
    original(world) {
      const limited = pThrottle({ limit: 2, interval: 1_000 })(loadOne(world));
      return each(7, (id) => limited(id));
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 2, refillPerSecond: 2, refillIntervalMs: 1_000 });
      return loadEach(world, 7, limits({ bucket }));
    },
  },
  {
    shape: 'one call in each interval',
    original(world) {
      const limited = pThrottle({ limit: 1, interval: 400 })(loadOne(world));
      return each(5, (id) => limited(id));
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 2.5 });
      return loadEach(world, 5, limits({ bucket }));
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
      const limited = createFetch(limits({ bucket }), world.fetch);
      return each(7, () => limited(URL_OF_ALL));
    },
  },
  {
    shape: 'p-retry around it: retries wait for their turn as well',
    original(world) {
      const limited = pThrottle({ limit: 2, interval: 1_000 })(loadOne(world));
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
      return loadEach(world, 3, policy);
    },
    differs: {
      because: 'retries go before calls that have not been sent',
      in: ['only 503', 'only resets', 'a 404', 'aborted in a wait'],
    },
  },
  {
    shape: '`onDelay`, which logs',
    original(world) {
      const limited = pThrottle({ limit: 2, interval: 500, onDelay: () => world.log('waits') })(
        loadOne(world),
      );
      return each(4, (id) => limited(id));
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 2, refillPerSecond: 4, refillIntervalMs: 500 });
      const onEvent = ({ type }: { type: string }) => type === 'wait' && world.log('waits');
      return loadEach(world, 4, limits({ bucket, onEvent }));
    },
  },
  {
    shape: '`signal`, which ends all that wait',
    original(world) {
      const limited = pThrottle({ limit: 1, interval: 2_000, signal: world.signal })(loadOne(world));
      return each(4, (id) => limited(id));
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 0.5 });
      return each(4, async (id) => {
        await bucket.acquire({ signal: world.signal });
        return loadOne(world)(id);
      });
    },
  },
  {
    shape: '`strict`, calls that come one by one',
    original(world) {
      const limited = pThrottle({ limit: 2, interval: 1_000, strict: true })(loadOne(world));
      return each(6, async (id) => {
        await sleep(id * 350);
        return limited(id);
      });
    },
    ebb(world) {
      const bucket = tokenBucket({ capacity: 1, refillPerSecond: 2 });
      const policy = limits({ bucket });
      return each(6, async (id) => {
        await sleep(id * 350);
        return retry(() => loadOne(world)(id), policy);
      });
    },
    differs: {
      because: 'a bucket has no sliding window: its calls are spread, and as many',
      in: Object.keys(SCRIPTS) as ScriptName[],
    },
  },
];
