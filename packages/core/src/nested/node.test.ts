import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { outerOf } from '../../test/call-with-limits.ts';
import type { OuterCall, Way } from './outer-call.ts';

type Nested = typeof import('./node.ts');

/** The state that all copies share, which tests must not share with others. */
const SHARED = Symbol.for('@ebb/core nested');
const host = globalThis as { [SHARED]?: unknown };
const before = host[SHARED];
const { getBuiltinModule } = process;

beforeEach(() => void delete host[SHARED]);

afterEach(() => {
  process.getBuiltinModule = getBuiltinModule;
  vi.unstubAllGlobals();
  if (before === undefined) delete host[SHARED];
  else host[SHARED] = before;
});

const NO_HOOKS = false;
let copies = 0;

/** A new copy of the module, in a runtime with this class of async contexts, or with none. */
async function load(hooks: object | typeof NO_HOOKS = { AsyncLocalStorage }): Promise<Nested> {
  process.getBuiltinModule = ((id: string) =>
    id === 'node:async_hooks' ? hooks || undefined : getBuiltinModule(id)) as never;
  copies += 1;
  const copy = `./node.ts?copy=${copies}`;
  return (await import(copy)) as Nested;
}

const WAYS: readonly Way[] = ['client', 'dispatcher', 'native-fetch', 'socket', 'converted', 'function'];

describe('how a call is sent, and what other clients are there, tell', () => {
  test.each<[clients: boolean[], mayNest: Way[], needContext: Way[]]>([
    [[], ['converted', 'function'], ['client', 'native-fetch', 'socket', 'converted', 'function']],
    [[false], ['converted', 'function'], WAYS.slice()],
    [[true], ['converted', 'function'], ['client', 'native-fetch', 'socket', 'converted', 'function']],
    [[false, false], ['client', 'dispatcher', 'converted', 'function'], WAYS.slice()],
    [[true, false], ['client', 'dispatcher', 'native-fetch', 'converted', 'function'], WAYS.slice()],
    [
      [true, true],
      ['client', 'dispatcher', 'native-fetch', 'converted', 'function'],
      ['client', 'native-fetch', 'socket', 'converted', 'function'],
    ],
  ])(
    'if others may be below it, and must find it by the async context: dispatchers %j',
    async (clients, mayNest, needContext) => {
      const nested = await load();
      for (const isDispatcher of clients) nested.countClient(isDispatcher);
      expect(WAYS.filter(nested.mayNest)).toEqual(mayNest);
      expect(WAYS.filter(nested.needsContext)).toEqual(needContext);
    },
  );

  test('also if another copy of this package has counted them; without a word they are no dispatchers', async () => {
    const [one, other] = [await load(), await load()];
    one.countClient();
    other.countClient();
    for (const { mayNest } of [one, other])
      expect(WAYS.filter(mayNest)).toEqual(['client', 'dispatcher', 'converted', 'function']);
  });
});

test('the fetch of the runtime is the one from before the first copy was loaded', async () => {
  const native = globalThis.fetch;
  const first = await load();
  first.countClient();
  const patched = () => undefined;
  vi.stubGlobal('fetch', patched);
  for (const { isNativeFetch } of [first, await load()])
    expect([native, patched, undefined].map(isNativeFetch)).toEqual([true, false, false]);
});

const [open, carried, closed] = [outerOf(), outerOf(), outerOf()];
(closed as { isOpen: boolean }).isOpen = false;

describe('the call around a request', () => {
  test.each<[what: string, around: OuterCall | undefined, given: OuterCall | undefined, found: unknown]>([
    ['is none', undefined, undefined, undefined],
    ['is that of its options', undefined, carried, carried],
    ['is that of its options before that of the context', open, carried, carried],
    ['is that of the context', open, undefined, open],
    ['is that of the context, if that of its options has ended', open, closed, open],
    ['is none that has ended', closed, closed, undefined],
  ])('%s', async (_, around, given, found) => {
    const { hasContext, outerCall, runWithin } = await load();
    expect(hasContext).toBe(true);
    const seen = (): unknown => outerCall(given);
    expect(around ? runWithin(around, seen) : seen()).toBe(found);
    if (around) expect(await runWithin(around, async () => Promise.resolve().then(seen))).toBe(found);
    expect(outerCall()).toBeUndefined();
  });

  test('is that of another copy of this package', async () => {
    const [one, other] = [await load(), await load()];
    expect(one.runWithin(open, () => other.outerCall())).toBe(open);
    expect(other.runWithin(open, () => one.outerCall())).toBe(open);
  });

  test('is that of its options alone, in a runtime without contexts', async () => {
    const { hasContext, outerCall, runWithin } = await load(NO_HOOKS);
    expect(hasContext).toBe(false);
    expect(runWithin(open, () => [outerCall(), outerCall(carried)])).toEqual([undefined, carried]);
  });

  test('makes a context once, when it is first needed', async () => {
    const made = vi.fn();
    class Counted extends AsyncLocalStorage<unknown> {
      constructor() {
        super();
        made();
      }
    }
    const { outerCall, runWithin } = await load({ AsyncLocalStorage: Counted });
    outerCall();
    expect(made).not.toHaveBeenCalled();
    for (let call = 0; call < 2; call += 1) runWithin(open, () => undefined);
    expect(made).toHaveBeenCalledTimes(1);
  });
});

describe('user code that is called while slots are held', () => {
  const slot = { name: 'slot' };

  test('is around none once it has thrown', async () => {
    const { outerCall, runHolding } = await load();
    let seen: OuterCall | undefined;
    const fails = (): never => {
      seen = outerCall();
      throw new Error('boom');
    };
    expect(() => runHolding([slot], fails)).toThrow('boom');
    expect(seen).toMatchObject({ slotsHeld: [slot], isOpen: false });
  });

  test.each(['resolves', 'rejects'] as const)(
    'is around the calls within it until its promise %s',
    async (how) => {
      const { outerCall, runHolding } = await load();
      const gate = Promise.withResolvers<void>();
      let seen: OuterCall | undefined;
      const result = runHolding([slot], async () => {
        await Promise.resolve();
        seen = outerCall();
        await gate.promise;
      });
      await Promise.resolve();
      await Promise.resolve();
      expect(seen).toMatchObject({ slotsHeld: [slot], isOpen: true });
      if (how === 'resolves') gate.resolve();
      else gate.reject(new Error('boom'));
      if (how === 'resolves') await result;
      else await expect(result).rejects.toThrow('boom');
      expect(seen?.isOpen).toBe(false);
    },
  );
});
