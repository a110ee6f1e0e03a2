import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { constant } from '../backoff/curves.ts';
import { nextTurn } from '../base/clock.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { PolicyOptions } from '../policy/options.ts';

type Core = typeof import('../call/run.ts') &
  typeof import('../call/transport.ts') &
  typeof import('../policy/policy.ts') &
  typeof import('./node.ts') &
  typeof import('./outer-call.ts');

/** The state that all copies share, which tests must not share. */
const SHARED = Symbol.for('@ebb/core nested');

async function freshCore(): Promise<Core> {
  vi.resetModules();
  const [run, transport, policy, nested, outerCall] = await Promise.all([
    import('../call/run.ts'),
    import('../call/transport.ts'),
    import('../policy/policy.ts'),
    import('./node.ts'),
    import('./outer-call.ts'),
  ]);
  return { ...run, ...transport, ...policy, ...nested, ...outerCall };
}

interface Call {
  readonly method: string;
  readonly url: string;
  /** Options that reach the client below. */
  readonly options?: Record<PropertyKey, unknown>;
}
type Send = (call: Call) => Promise<{ status: number }>;

/** A client of ebb over another one, or over what sends. */
function client(core: Core, options: PolicyOptions, below: Send): Send {
  core.countClient();
  const policy = core.createPolicy({ backoff: constant(0), maxRetries: 2, ...options });
  return (call) => {
    const request: RequestTraits = { ...call, replayable: true, header: () => undefined };
    const started = core.startCall(policy, request, undefined, call.options?.[core.LAYER], 'client');
    return core.run<{ status: number }>(started, {
      send: (own) =>
        core.sendWithin(own, () =>
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
    const { getBuiltinModule } = process;
    if (how === 'without a storage')
      vi.spyOn(process, 'getBuiltinModule').mockImplementation((id) =>
        id === 'node:async_hooks' ? undefined : Reflect.apply(getBuiltinModule, process, [id]),
      );
    core = await freshCore();
    hits = [];
  });
  afterEach(() => {
    vi.restoreAllMocks();
    Reflect.deleteProperty(globalThis, SHARED);
  });

  test.each(Object.entries(glue))(
    'of two clients the outer one retries, if the request is passed on %s',
    async (name, hand) => {
      const call = client(core, {}, hand(client(core, {}, upstream)));
      expect((await call(get)).status).toBe(503);
      // A client that neither context nor options reach retries as well.
      const cannotTell = how === 'without a storage' && name.endsWith('without its options');
      expect(hits).toHaveLength(cannotTell ? 9 : 3);
    },
  );
});

describe('with a storage', () => {
  let core: Core;
  beforeEach(async () => {
    Reflect.deleteProperty(globalThis, SHARED);
    core = await freshCore();
  });
  afterEach(() => Reflect.deleteProperty(globalThis, SHARED));

  test('two copies of this package recognise each other', async () => {
    const other = await freshCore();
    let hits = 0;
    const upstream: Send = async () => {
      hits += 1;
      return { status: 503 };
    };
    await client(core, {}, client(other, {}, upstream))(get);
    expect(hits).toBe(3);
  });

  test('a single client marks nothing', async () => {
    const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');
    const seen: unknown[] = [];
    const call = client(core, {}, async ({ options }) => {
      seen.push(options?.[core.LAYER]);
      return { status: 200 };
    });
    await call(get);
    expect(seen).toEqual([undefined]);
    expect(run).not.toHaveBeenCalled();
    run.mockRestore();
  });
});
