import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { constant } from '../backoff/curves.ts';
import { nextTurn } from '../base/clock.ts';
import type { RequestTraits } from '../http/outcome.ts';
import { attemptsOf } from '../loop/history.ts';
import type { PolicyOptions } from '../loop/options.ts';
import type { EbbEvent } from '../news/events.ts';
import { tokenBucket } from '../parts/bucket/token-bucket.ts';
import { concurrencyLimit } from '../parts/concurrency/concurrency.ts';

type Core = typeof import('../loop/client.ts') &
  typeof import('../loop/run.ts') &
  typeof import('../loop/client.ts') &
  typeof import('../loop/policy.ts') &
  typeof import('./layers.ts') &
  typeof import('./layer.ts');

/** The state that all copies share, which tests must not share. */
const SHARED = Symbol.for('@ebb/core layers');

async function freshCore(): Promise<Core> {
  vi.resetModules();
  const [start, run, send, policy, layers, layer] = await Promise.all([
    import('../loop/client.ts'),
    import('../loop/run.ts'),
    import('../loop/client.ts'),
    import('../loop/policy.ts'),
    import('./layers.ts'),
    import('./layer.ts'),
  ]);
  return { ...start, ...run, ...send, ...policy, ...layers, ...layer };
}

interface Call {
  readonly method: string;
  readonly url: string;
  /** Options that reach the layer below. */
  readonly options?: Record<PropertyKey, unknown>;
}
type Send = (call: Call) => Promise<{ status: number }>;

/** A client with a layer around it. */
function layer(core: Core, options: PolicyOptions, below: Send, isDispatch = false): Send {
  core.countLayer(isDispatch);
  const policy = core.createPolicy({ backoff: constant(0), maxRetries: 2, ...options });
  return (call) => {
    const request: RequestTraits = { ...call, replayable: true, header: () => undefined };
    const started = core.startCall(
      policy,
      request,
      undefined,
      call.options?.[core.LAYER],
      isDispatch ? 'dispatcher' : 'client',
    );
    return core.run<{ status: number }>(started, {
      send: (own) =>
        core.sending(own, () =>
          below({ ...call, options: { ...call.options, [core.LAYER]: core.layerOf(own) } }),
        ),
      outcome: ({ status }) => ({ type: 'response', status, header: () => undefined }),
      failure: (error) => ({ type: 'failure', kind: 'network', error }),
      setAside: () => undefined,
    });
  };
}

/** Passes a call on, and loses part of it on the way. */
const glue: Record<string, (below: Send) => Send> = {
  'as it is': (below) => below,
  'without its options': (below) => (call) => below({ method: call.method, url: call.url }),
  'in another turn': (below) => async (call) => {
    await nextTurn();
    return below(call);
  },
  'in another turn, without its options': (below) => async (call) => {
    await nextTurn();
    return below({ method: call.method, url: call.url });
  },
  'in another turn, without its options, in a new result': (below) => async (call) => {
    await nextTurn();
    return { ...(await below({ method: call.method, url: call.url })) };
  },
};

const get: Call = { method: 'GET', url: 'https://upstream.test/a?b=c' };

describe.each(['with a storage', 'without a storage'])('%s', (how) => {
  let core: Core;
  let hits: string[];
  const upstream: Send = async ({ url }) => {
    hits.push(url);
    return { status: 503 };
  };
  beforeEach(async () => {
    Reflect.deleteProperty(globalThis, SHARED);
    if (how === 'without a storage') vi.stubGlobal('process', { emitWarning: () => undefined });
    core = await freshCore();
    // The storage is looked up now.
    core.areLayered();
    vi.unstubAllGlobals();
    hits = [];
  });
  afterEach(() => Reflect.deleteProperty(globalThis, SHARED));

  test.each(Object.entries(glue))(
    'of two layers the outer retries, if the call is passed on %s',
    async (name, hand) => {
      const call = layer(core, {}, hand(layer(core, {}, upstream)));
      expect((await call(get)).status).toBe(503);
      // Without a storage, a new result in a later turn hides the layer below.
      const cannotTell = how === 'without a storage' && name.endsWith('new result');
      expect(hits).toHaveLength(cannotTell ? 9 : 3);
    },
  );

  test('of three layers the outermost retries', async () => {
    const [first, second, third] = [{ maxRetries: 3 }, { maxRetries: 5 }, { maxRetries: 7 }];
    const call = layer(core, first, layer(core, second, layer(core, third, upstream)));
    await call(get);
    expect(hits).toHaveLength(4);
  });

  test('tokens are taken once from each bucket for each attempt', async () => {
    const [shared, below] = [
      tokenBucket({ refillPerSecond: 1e-6, capacity: 10 }),
      tokenBucket({ refillPerSecond: 1e-6, capacity: 10 }),
    ];
    const both = { bucket: shared };
    const call = layer(
      core,
      both,
      layer(core, { bucket: below }, layer(core, { bucket: below }, layer(core, both, upstream))),
    );
    await call(get);
    expect(shared.stats().granted).toBe(3);
    expect(below.stats().granted).toBe(3);
  });

  test('layers need one slot', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const call = layer(core, { concurrency }, layer(core, { concurrency }, upstream));
    await call(get);
    expect(hits).toHaveLength(3);
    expect(concurrency.stats()).toMatchObject({ inUse: 0, refused: 0 });
  });

  test('an inner layer reports that it leaves the retries to the outer one', async () => {
    const events: EbbEvent[] = [];
    const onEvent = (event: EbbEvent): void => void events.push(event);
    await layer(core, { maxRetries: 1 }, layer(core, { onEvent }, upstream))(get);
    const ends = events.filter(({ type }) => type === 'end');
    expect(ends).toMatchObject([{ reason: 'left-to-outer-layer' }, { reason: 'left-to-outer-layer' }]);
  });

  test('a different request that starts inside a call is a call of its own, and retries', async () => {
    const token = layer(core, {}, upstream);
    const call = layer(core, {}, async (given) => {
      if (hits.length === 0)
        await token({ method: 'POST', url: 'https://auth.test/token' }).catch(() => undefined);
      return upstream(given);
    });
    await call(get);
    expect(hits.filter((url) => url.includes('token'))).toHaveLength(1);
    hits = [];
    const getToken = layer(core, {}, async (given) => {
      if (!hits.some((url) => url.includes('token')))
        await token({ method: 'GET', url: 'https://auth.test/token' });
      return upstream(given);
    });
    await getToken(get);
    expect(hits.filter((url) => url.includes('token'))).toHaveLength(3);
    expect(hits.filter((url) => url === get.url)).toHaveLength(3);
  });

  test('requests that start in the context of a settled call are calls of their own', async () => {
    let later: Promise<unknown> | undefined;
    const inner = layer(core, {}, upstream);
    const gate = Promise.withResolvers<void>();
    const call = layer(core, { maxRetries: 0 }, async (given) => {
      later ??= gate.promise.then(() => inner({ method: 'GET', url: get.url }));
      return upstream(given);
    });
    await call(get);
    hits = [];
    gate.resolve();
    await later;
    expect(hits).toHaveLength(3);
  });
});

describe('with a storage', () => {
  let core: Core;
  beforeEach(async () => {
    Reflect.deleteProperty(globalThis, SHARED);
    core = await freshCore();
  });
  afterEach(() => Reflect.deleteProperty(globalThis, SHARED));

  test('a request that starts inside a call does not wait for the slot of that call', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const token = layer(core, { concurrency }, async () => ({ status: 200 }));
    const call = layer(core, { concurrency }, async () =>
      token({ method: 'GET', url: 'https://auth.test/token' }),
    );
    expect((await call(get)).status).toBe(200);
    expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
  });

  test('a dispatcher takes a request after the dispatch of the call for the hop of a redirect; other layers do not', async () => {
    for (const [isDispatch, sends] of [
      [true, 1],
      [false, 3],
    ] as const) {
      let seen = 0;
      const below = layer(
        core,
        {},
        async ({ url }) => {
          if (!url.endsWith('/next')) return { status: 200 };
          seen += 1;
          return { status: 503 };
        },
        isDispatch,
      );
      const call = layer(core, { maxRetries: 0 }, async (given) => {
        await below({ method: 'GET', url: given.url });
        return below({ method: 'GET', url: 'https://other.test/next' });
      });
      await call(get);
      expect(seen).toBe(sends);
    }
  });

  test('two copies of this package recognise each other', async () => {
    const other = await freshCore();
    let hits = 0;
    const upstream: Send = async () => {
      hits += 1;
      return { status: 503 };
    };
    await layer(core, {}, layer(other, {}, upstream))(get);
    expect(hits).toBe(3);
  });

  test('a single layer marks nothing', async () => {
    const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');
    const seen: unknown[] = [];
    const call = layer(core, {}, async ({ options }) => {
      seen.push(options?.[core.LAYER]);
      return { status: 200 };
    });
    await call(get);
    expect(seen).toEqual([undefined]);
    expect(run).not.toHaveBeenCalled();
    run.mockRestore();
  });

  test('the runtime’s own fetch may lead to dispatchers only, and a socket to no layer', () => {
    const table = (): boolean[] =>
      (['client', 'dispatcher', 'native-fetch', 'socket', 'converted'] as const).map(core.mayBeLayered);
    core.countLayer();
    expect(table()).toEqual([false, false, false, false, true]);
    core.countLayer();
    expect(table()).toEqual([true, true, false, false, true]);
    core.countLayer(true);
    expect(table()).toEqual([true, true, true, false, true]);
  });

  test('the runtime’s own fetch is the one from before the first copy of this package', async () => {
    const native = globalThis.fetch;
    core.countLayer();
    const patched = (() => undefined) as never;
    vi.stubGlobal('fetch', patched);
    const later = await freshCore();
    vi.unstubAllGlobals();
    for (const copy of [core, later]) {
      expect(copy.isNativeFetch(native)).toBe(true);
      expect(copy.isNativeFetch(patched)).toBe(false);
    }
  });

  test('the history is that of the outermost layer', async () => {
    const call = layer(
      core,
      { maxRetries: 1 },
      layer(core, {}, async () => ({ status: 503 })),
    );
    expect(attemptsOf(await call(get)).map(({ reason }) => reason)).toEqual([
      'transient',
      'retries-exhausted',
    ]);
  });
});
