import {
  type AttemptResult,
  concurrencyLimit,
  createPolicy,
  perKey,
  priorityQueue,
  retry,
  tokenBucket,
  type Verdict,
} from '@ebb/core';
import Bottleneck from 'bottleneck';
import { each, limits, loadEach, loadOne } from '../calls.ts';
import type { Port } from '../port.ts';
import type { World } from '../world.ts';

const telling =
  (world: World) =>
  (id: number): Promise<Response> => {
    world.log('sends', id);
    return loadOne(world)(id);
  };

export const ROWS: readonly Port[] = [
  {
    shape: '`maxConcurrent: 1`, `minTime`, `schedule`',
    original(world) {
      const limiter = new Bottleneck({ maxConcurrent: 1, minTime: 300 });
      return each(5, (id) => limiter.schedule(() => loadOne(world)(id)));
    },
    ebb(world) {
      const policy = limits({
        bucket: tokenBucket({ capacity: 1, refillPerSecond: 1_000 / 300 }),
        concurrency: concurrencyLimit({ maxConcurrent: 1 }),
      });
      return loadEach(world, 5, policy);
    },
  },
  {
    shape: '`maxConcurrent`, `wrap`',
    original(world) {
      const limited = new Bottleneck({ maxConcurrent: 3 }).wrap(loadOne(world));
      return each(8, (id) => limited(id));
    },
    ebb(world) {
      const policy = limits({ concurrency: concurrencyLimit({ maxConcurrent: 3 }) });
      return loadEach(world, 8, policy);
    },
  },
  {
    shape: '`minTime` alone',
    original(world) {
      const limiter = new Bottleneck({ minTime: 250 });
      return each(6, (id) => limiter.schedule(loadOne(world), id));
    },
    ebb(world) {
      const policy = limits({
        bucket: tokenBucket({ capacity: 1, refillPerSecond: 4 }),
      });
      return loadEach(world, 6, policy);
    },
  },
  {
    shape: 'a reservoir that is refreshed',
    original(world) {
      const refresh = { reservoirRefreshAmount: 3, reservoirRefreshInterval: 1_000 };
      const limiter = new Bottleneck({ reservoir: 3, ...refresh });
      return each(8, (id) => limiter.schedule(loadOne(world), id));
    },
    ebb(world) {
      const policy = limits({
        bucket: tokenBucket({ capacity: 3, refillPerSecond: 3, refillIntervalMs: 1_000 }),
      });
      return loadEach(world, 8, policy);
    },
  },
  {
    shape: 'a reservoir and `minTime`',
    original(world) {
      const refresh = { reservoirRefreshAmount: 4, reservoirRefreshInterval: 2_000 };
      const limiter = new Bottleneck({ reservoir: 4, ...refresh, minTime: 100 });
      return each(10, (id) => limiter.schedule(loadOne(world), id));
    },
    ebb(world) {
      const apart = limits({
        bucket: tokenBucket({ capacity: 1, refillPerSecond: 10 }),
      });
      const window = limits({
        bucket: tokenBucket({ capacity: 4, refillPerSecond: 2, refillIntervalMs: 2_000 }),
      });
      return each(10, (id) => retry(() => retry(() => loadOne(world)(id), apart), window));
    },
  },
  {
    shape: '`priority` of a job',
    original(world) {
      const limiter = new Bottleneck({ maxConcurrent: 1 });
      return each(5, (id) => limiter.schedule({ priority: id % 2 === 0 ? 9 : 1 }, telling(world), id));
    },
    ebb(world) {
      const concurrency = concurrencyLimit({ maxConcurrent: 1, queue: priorityQueue() });
      const policy = limits({ concurrency });
      return each(5, (id) => retry(() => telling(world)(id), { ...policy, priority: id % 2 === 0 ? -4 : 4 }));
    },
  },
  {
    shape: 'the event `failed`, which returns a wait',
    original(world) {
      const limiter = new Bottleneck({ maxConcurrent: 2 });
      limiter.on('failed', async (error, { retryCount }) => {
        world.log(error.message);
        return retryCount < 2 ? 2_000 : undefined;
      });
      return each(4, (id) => limiter.schedule(loadOne(world), id));
    },
    ebb(world) {
      const slots = limits({ concurrency: concurrencyLimit({ maxConcurrent: 2 }) });
      const retries = createPolicy({ maxRetries: 2, backoff: () => 2_000, feedback: false });
      const judge = (settled: AttemptResult<unknown>): Verdict => {
        if (settled.type === 'value') return 'success';
        world.log((settled.error as Error).message);
        return 'transient';
      };
      // A job keeps its slot while it waits.
      return each(4, (id) => retry(() => retry(() => loadOne(world)(id), retries, { judge }), slots));
    },
  },
  {
    shape: 'a `Group`, with a limiter for each key',
    original(world) {
      const group = new Bottleneck.Group({ maxConcurrent: 1, minTime: 200 });
      return each(6, (id) => group.key(`user-${id % 2}`).schedule(telling(world), id));
    },
    ebb(world) {
      const keyOf = (): string => 'user';
      const policy = limits({
        bucket: perKey(() => tokenBucket({ capacity: 1, refillPerSecond: 5 }), { keyOf }),
        concurrency: perKey(() => concurrencyLimit({ maxConcurrent: 1 }), { keyOf }),
      });
      return each(6, (id) => retry(() => telling(world)(id), { ...policy, key: `user-${id % 2}` }));
    },
  },
];
