import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Faked, faked } from './faked-time.ts';

/** Of the runtime, before anything is faked. */
const own = { setTimeout, clearTimeout, setImmediate };
const URL = 'http://upstream.test/';

interface Copies {
  readonly core: typeof import('@ebb/core');
  readonly fetch: typeof import('@ebb/fetch');
}

/** Copies of the packages that are loaded now. */
async function load(): Promise<Copies> {
  vi.resetModules();
  return { core: await import('@ebb/core'), fetch: await import('@ebb/fetch') };
}

/** Moves the time of the fakes until the promise settles, for three seconds of real time at most. */
async function settled<T>(promise: Promise<T>, fakes: Faked | undefined): Promise<T | 'it hangs'> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  promise.then(end, end);
  const timer = own.setTimeout(end, 3_000);
  while (!isOver) {
    await new Promise<void>((resolve) => void own.setImmediate(resolve));
    fakes?.tick(100);
  }
  own.clearTimeout(timer);
  return Promise.race([
    promise,
    new Promise<'it hangs'>((resolve) => own.setImmediate(() => resolve('it hangs'))),
  ]);
}

/** What is sent, and what the caller gets. `waitMs` is short where the time is real. */
const situations: readonly [
  name: string,
  run: (copies: Copies, waitMs: number) => Promise<unknown>,
  expected: unknown,
][] = [
  [
    'a retry',
    async ({ core, fetch }, waitMs) => {
      const statuses = [503, 503, 200];
      const get = fetch.createFetch({ backoff: core.constant(waitMs) }, async () => {
        return new Response(null, { status: statuses.shift() ?? 200 });
      });
      return [(await get(URL)).status, statuses.length];
    },
    [200, 0],
  ],
  [
    'a retry, within timeouts of the attempt and of the call',
    async ({ core, fetch }, waitMs) => {
      const statuses = [503, 503, 200];
      const times = { attemptTimeoutMs: 30 * waitMs, totalTimeoutMs: 60 * waitMs };
      const get = fetch.createFetch({ backoff: core.constant(waitMs), ...times }, async () => {
        await new Promise<void>((resolve) => void own.setImmediate(resolve));
        return new Response(null, { status: statuses.shift() ?? 200 });
      });
      return [(await get(URL)).status, statuses.length];
    },
    [200, 0],
  ],
  [
    'tokens',
    async ({ core, fetch }, waitMs) => {
      const bucket = core.tokenBucket({ refillPerSecond: 1_000 / waitMs, capacity: 1 });
      const get = fetch.createFetch({ bucket }, async () => new Response());
      const all = await Promise.all([1, 2, 3].map(() => get(URL)));
      return [all.map(({ status }) => status), bucket.stats().waiting];
    },
    [[200, 200, 200], 0],
  ],
  [
    'a slot that does not come in time',
    async ({ core, fetch }, waitMs) => {
      const concurrency = core.concurrencyLimit({ maxConcurrent: 1, maxWaitMs: waitMs });
      concurrency.tryAcquire();
      const get = fetch.createFetch({ concurrency }, async () => new Response());
      return get(URL).catch((error: { readonly reason: string }) => error.reason);
    },
    'wait-too-long',
  ],
  [
    'an attempt without a response',
    async ({ fetch }, waitMs) => {
      const get = fetch.createFetch(
        { attemptTimeoutMs: waitMs, maxRetries: 0 },
        () => new Promise(() => undefined),
      );
      return get(URL).catch((error: Error) => error.name);
    },
    'TimeoutError',
  ],
];

// Under fakes vitest itself may be slow to load a module that it has not loaded before.
beforeAll(async () => void (await load()));

describe.each(faked)('%s', (fake, make) => {
  let fakes: Faked | undefined;
  afterEach(() => {
    fakes?.remove();
    vi.resetModules();
  });

  describe.each<[when: string, prepare: () => Promise<Copies>]>([
    [
      'installed before ebb is loaded',
      async () => {
        fakes?.install();
        return load();
      },
    ],
    [
      'installed after',
      async () => {
        const copies = await load();
        fakes?.install();
        return copies;
      },
    ],
    [
      'installed before, and removed before the call',
      async () => {
        fakes?.install();
        const copies = await load();
        fakes?.remove();
        return copies;
      },
    ],
  ])('%s', (when, prepare) => {
    test.each(situations)(
      '%s',
      async (situation, run, expected) => {
        fakes = make();
        const copies = await prepare();
        const isGone = when.includes('removed');
        // Nothing tells a stub that calls at once from a timer: the timeouts end as well.
        const isCut = !isGone && fake.includes('calls at once') && situation.includes('within timeouts');
        const running = run(copies, isGone ? 20 : 4_000);
        expect(await settled(running, isGone ? undefined : fakes)).toEqual(isCut ? [503, 1] : expected);
      },
      15_000,
    );
  });
});
