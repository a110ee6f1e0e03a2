import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EbbEvent } from './events.ts';

const SHARED = Symbol.for('@ebb/core layers');
const request = { method: 'PUT', url: 'https://a.test/', replayable: true, header: () => undefined };

/** A fresh copy of the package, in a runtime with or without async context. */
async function fresh(hasContext: boolean) {
  vi.resetModules();
  Reflect.deleteProperty(globalThis, SHARED);
  if (!hasContext) vi.stubGlobal('process', { emitWarning: () => undefined });
  const [policy, session, limits, layers, testing] = await Promise.all([
    import('./policy.ts'),
    import('./start-session.ts'),
    import('../parts/concurrency/concurrency.ts'),
    import('./layers.ts'),
    import('../testing.ts'),
  ]);
  // The storage is looked up now.
  layers.areLayered();
  vi.unstubAllGlobals();
  return { ...policy, ...session, ...limits, ...testing };
}

beforeEach(() => Reflect.deleteProperty(globalThis, SHARED));
afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(globalThis, SHARED);
});

test.each([
  ['without async context an event says that factories hold all slots', false, ['blocked']],
  ['with it the request of a factory does not wait', true, []],
])('%s', async (_, hasContext, blocked) => {
  const core = await fresh(hasContext);
  const clock = core.virtualClock();
  const events: EbbEvent[] = [];
  const stop = new AbortController();
  const policy = core.createPolicy({
    clock,
    concurrency: core.concurrencyLimit({ maxConcurrent: 1, clock }),
    onEvent: (event) => void events.push(event),
  });
  const send = (makeBody?: () => Promise<void>): Promise<unknown> => {
    const session = core.startSession(policy, request);
    return Promise.resolve(session?.ready(stop.signal, undefined, makeBody)).then(() => {
      session?.judge({ type: 'response', status: 200, header: () => undefined });
      session?.bodyEnded();
    });
  };
  const sent = send(async () => {
    await clock.sleep(10);
    await send();
  }).catch((error: unknown) => error);
  await clock.advance(10);
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === 'blocked')).toEqual(blocked);
  stop.abort(new Error('enough'));
  await sent;
  expect(policy.concurrency).toBeDefined();
});
