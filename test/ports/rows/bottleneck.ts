import {
  concurrencyLimit,
  createPolicy,
  perKey,
  priorityQueue,
  retry,
  type Settled,
  tokenBucket,
  type Verdict,
} from '@ebb/core';
import Bottleneck from 'bottleneck';
import type { Port } from '../port.ts';
import { orThrow, URL_OF_ALL, type World } from '../world.ts';

/** What a policy has that only limits. */
const ONLY_LIMITS = { maxRetries: 0, feedback: false } as const;

const load =
  (world: World) =>
  async (id: number): Promise<Response> =>
    orThrow(await world.fetch(`${URL_OF_ALL}/${id}`));

const telling =
  (world: World) =>
  (id: number): Promise<Response> => {
    world.log('sends', id);
    return load(world)(id);
  };

/** How each of some calls ends. */
const each = (count: number, call: (id: number) => Promise<unknown>): Promise<unknown[]> =>
  Promise.all(Array.from({ length: count }, (_, id) => call(id).catch((error: unknown) => error)));

export const ROWS: readonly Port[] = [
  {
    shape: '`maxConcurrent: 1`, `minTime`, `schedule`',
    original(world) {
      const limiter = new Bottleneck({ maxConcurrent: 1, minTime: 300 });
      return each(5, (id) => limiter.schedule(() => load(world)(id)));
    },
    ebb(world) {
      const policy = createPolicy({
        ...ONLY_LIMITS,
        bucket: tokenBucket({ capacity: 1, refillPerSecond: 1_000 / 300 }),
        concurrency: concurrencyLimit({ maxConcurrent: 1 }),
      });
      return each(5, (id) => retry(() => load(world)(id), policy));
    },
  },
  {
    shape: '`maxConcurrent`, `wrap`',
    original(world) {
      const limited = new Bottleneck({ maxConcurrent: 3 }).wrap(load(world));
      return each(8, (id) => limited(id));
    },
    ebb(world) {
      const policy = createPolicy({ ...ONLY_LIMITS, concurrency: concurrencyLimit({ maxConcurrent: 3 }) });
      return each(8, (id) => retry(() => load(world)(id), policy));
    },
  },
  {
    shape: '`minTime` alone',
    original(world) {
      const limiter = new Bottleneck({ minTime: 250 });
      return each(6, (id) => limiter.schedule(load(world), id));
    },
    ebb(world) {
      const policy = createPolicy({
        ...ONLY_LIMITS,
        bucket: tokenBucket({ capacity: 1, refillPerSecond: 4 }),
      });
      return each(6, (id) => retry(() => load(world)(id), policy));
    },
  },
  {
    shape: 'a reservoir that is refreshed',
    original(world) {
      const refresh = { reservoirRefreshAmount: 3, reservoirRefreshInterval: 1_000 };
      const limiter = new Bottleneck({ reservoir: 3, ...refresh });
      return each(8, (id) => limiter.schedule(load(world), id));
    },
    ebb(world) {
      const policy = createPolicy({
        ...ONLY_LIMITS,
        bucket: tokenBucket({ capacity: 3, refillPerSecond: 3, refillIntervalMs: 1_000 }),
      });
      return each(8, (id) => retry(() => load(world)(id), policy));
    },
  },
  {
    shape: 'a reservoir and `minTime`',
    original(world) {
      const refresh = { reservoirRefreshAmount: 4, reservoirRefreshInterval: 2_000 };
      const limiter = new Bottleneck({ reservoir: 4, ...refresh, minTime: 100 });
      return each(10, (id) => limiter.schedule(load(world), id));
    },
    ebb(world) {
      const apart = createPolicy({
        ...ONLY_LIMITS,
        bucket: tokenBucket({ capacity: 1, refillPerSecond: 10 }),
      });
      const window = createPolicy({
        ...ONLY_LIMITS,
        bucket: tokenBucket({ capacity: 4, refillPerSecond: 2, refillIntervalMs: 2_000 }),
      });
      return each(10, (id) => retry(() => retry(() => load(world)(id), apart), window));
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
      const limits = { ...ONLY_LIMITS, concurrency };
      return each(5, (id) => retry(() => telling(world)(id), { ...limits, priority: id % 2 === 0 ? -4 : 4 }));
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
      return each(4, (id) => limiter.schedule(load(world), id));
    },
    ebb(world) {
      const slots = createPolicy({ ...ONLY_LIMITS, concurrency: concurrencyLimit({ maxConcurrent: 2 }) });
      const retries = createPolicy({ maxRetries: 2, backoff: () => 2_000, feedback: false });
      const judge = (settled: Settled<unknown>): Verdict => {
        if (settled.type === 'value') return 'success';
        world.log((settled.error as Error).message);
        return 'transient';
      };
      // A job keeps its slot while it waits.
      return each(4, (id) => retry(() => retry(() => load(world)(id), retries, { judge }), slots));
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
      const limits = {
        ...ONLY_LIMITS,
        bucket: perKey(() => tokenBucket({ capacity: 1, refillPerSecond: 5 }), { keyOf }),
        concurrency: perKey(() => concurrencyLimit({ maxConcurrent: 1 }), { keyOf }),
      };
      return each(6, (id) => retry(() => telling(world)(id), { ...limits, key: `user-${id % 2}` }));
    },
  },
];
