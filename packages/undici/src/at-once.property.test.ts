import { attemptsOf, constant, createPolicy } from '@ebb/core';
import { mayBeSentAtOnce, nextTurn } from '@ebb/core/adapter';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { get, reset } from '../test/relay.ts';
import { acting, HandlerSpy, Wire } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

const FULL = 10;

/** How one attempt goes, and what the handler does meanwhile. */
const attempt = fc.record({
  startedWith: fc.constantFrom(null, null, {}, { history: ['a'] }),
  informs: fc.boolean(),
  status: fc.constantFrom(200, 200, 206, 302, 404, 503, 'upgrade', 'no response'),
  isResumable: fc.boolean(),
  chunks: fc.array(fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme-ascii' }), { maxLength: 3 }),
  breaks: fc.boolean(),
});
type Conduct = typeof attempt extends fc.Arbitrary<infer T> ? T : never;

/** At which callback the handler aborts, throws or pauses. */
const act = fc.record({
  at: fc.constantFrom('onRequestStart', 'onResponseStart', 'onResponseData', 'onResponseEnd', 'none', 'none'),
  does: fc.constantFrom('abort', 'throw', 'pause'),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

function actingSpy({ at, does }: Act): HandlerSpy {
  if (at === 'none') return new HandlerSpy();
  return acting(at as 'onResponseEnd', (controller) => {
    if (does === 'throw') throw new Error('thrown');
    if (does === 'abort') controller.abort(new Error('enough'));
    else controller.pause();
  });
}

function play(wire: Wire, number: number, conduct: Conduct): void {
  const { connection, handler } = wire.attempt(number);
  const sent = wire.attempt(number);
  const headers = conduct.isResumable ? { etag: '"a"', 'content-length': String(FULL) } : {};
  const steps: (() => unknown)[] = [() => sent.start(conduct.startedWith)];
  if (conduct.informs) steps.push(() => sent.head(103));
  if (conduct.status === 'upgrade')
    steps.push(() => handler.onRequestUpgrade(connection, 101, {}, { destroy: () => undefined } as never));
  else if (conduct.status === 'no response') steps.push(() => sent.fail(reset()));
  else {
    const status = conduct.status as number;
    steps.push(() => sent.head(status, headers), ...conduct.chunks.map((chunk) => () => sent.data(chunk)));
    steps.push(() => (conduct.breaks ? sent.fail(reset()) : sent.end()));
  }
  for (const step of steps) {
    if (connection.aborted) return;
    try {
      step();
    } catch (error) {
      // As undici does with what a handler throws.
      if (!connection.aborted) connection.abort(error as Error);
    }
  }
}

/** Forgets how many clients there are in the program. */
function forgetClients(): void {
  const { [Symbol.for('@ebb/core nested')]: state = {} } = globalThis as { [key: symbol]: object };
  Object.assign(state, { clients: 0, dispatchers: 0 });
}

async function outcomeOf(options: object, conducts: readonly Conduct[], acts: Act): Promise<unknown> {
  const wire = new Wire();
  const spy = actingSpy(acts);
  const policy = createPolicy({ backoff: constant(0), maxRetries: 3 });
  // A request that may have another client below is not sent at once.
  forgetClients();
  const dispatch = ebbInterceptor(policy)(wire.dispatch);
  expect(mayBeSentAtOnce(policy, 'dispatcher')).toBe(true);
  const returned = dispatch({ ...get, ...options }, spy);
  for (let number = 1; number <= wire.attempts.length; number += 1) {
    const fallback: Conduct = { ...(conducts[0] as Conduct), status: 200, breaks: false };
    play(wire, number, conducts[number - 1] ?? fallback);
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  }
  const { aborted, paused } = spy.controller ?? {};
  return {
    returned,
    calls: spy.calls,
    controllers: spy.controllers.size,
    aborted,
    paused,
    context: spy.context,
    error: String(spy.error),
    history: [attemptsOf(spy.context), attemptsOf(spy.error)],
    sent: wire.attempts.map(({ options: { path, headers }, connection }) => [
      path,
      headers,
      connection.calls,
    ]),
  };
}

test('a request that is sent at once is for its handler the same as one that has a session from the start', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 4 }), act, async (conducts, acts) => {
      // Options of its own, even none, need a session.
      expect(await outcomeOf({}, conducts, acts)).toEqual(await outcomeOf({ ebb: {} }, conducts, acts));
    }),
    { numRuns: runs(1_000) },
  );
});

test('a layer below through which only some requests go does not multiply their attempts', async () => {
  const wire = new Wire();
  const below = ebbInterceptor({ backoff: constant(0), maxRetries: 2 })(wire.dispatch);
  const dispatch = ebbInterceptor({ backoff: constant(0), maxRetries: 1 })((options, handler) =>
    options.path === '/' ? wire.dispatch(options, handler) : below(options, handler),
  );
  const sendsOf = async (path: string, status: number): Promise<number> => {
    const before = wire.attempts.length;
    dispatch({ ...get, path }, new HandlerSpy());
    for (let number = before + 1; number <= wire.attempts.length; number += 1) {
      wire.attempt(number).start().head(status).end();
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    }
    return wire.attempts.length - before;
  };
  expect(await sendsOf('/below', 503)).toBe(2);
  expect(await sendsOf('/', 200)).toBe(1);
  expect(await sendsOf('/below', 503)).toBe(2);
  expect(await sendsOf('/', 503)).toBe(2);
});
