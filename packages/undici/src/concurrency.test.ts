import { concurrencyLimit, constant } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { resumingInterceptor } from '../test/relay.ts';
import { upstream } from '../test/upstream.ts';
import { ENDS_WITHOUT_BODY, HandlerSpy, Wire } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

const get = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;
const whole = { etag: '"a"', 'content-length': '10' };
const rest = { etag: '"a"', 'content-range': 'bytes 5-9/10' };
const failure = (): Error => Object.assign(new Error('broken'), { code: 'ECONNRESET' });

function setUp() {
  const wire = new Wire();
  const clock = virtualClock({ startMs: 0 });
  const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
  const dispatch = resumingInterceptor({ backoff: constant(0), maxRetries: 1, concurrency, clock })(
    wire.dispatch,
  );
  const inUse = (): number => concurrency.stats().inUse;
  return { wire, dispatch, inUse, spy: new HandlerSpy() };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
}

describe('the slot of a concurrency limit is held until the end of a body', () => {
  test.each<[string, (wire: Wire, spy: HandlerSpy) => unknown]>([
    ['that ends', (wire) => wire.attempt(1).end()],
    ['that breaks', (wire) => wire.attempt(1).fail(new Error('final'))],
    ['that the handler aborts', (_, spy) => spy.controller?.abort(new Error('enough'))],
  ])('%s', (_, finish) => {
    const { wire, spy, dispatch, inUse } = setUp();
    dispatch(get, spy);
    wire.attempt(1).start().head(200, whole).data('01234');
    expect(inUse()).toBe(1);
    finish(wire, spy);
    expect(inUse()).toBe(0);
  });

  test('that is resumed', async () => {
    const { wire, spy, dispatch, inUse } = setUp();
    dispatch(get, spy);
    wire.attempt(1).start().head(200, whole).data('01234').fail(failure());
    await turns();
    expect(inUse()).toBe(1);
    wire.attempt(2).start().head(206, rest).data('56789');
    expect(inUse()).toBe(1);
    wire.attempt(2).end();
    expect([spy.calls.at(-1), inUse()]).toEqual(['end {}', 0]);
  });

  test.each<[string, (wire: Wire) => unknown]>([
    ['is not the rest', (wire) => wire.attempt(2).start().head(200, whole)],
    ['is not found', (wire) => wire.attempt(2).start().head(404).end()],
  ])('whose rest %s', async (_, finish) => {
    const { wire, spy, dispatch, inUse } = setUp();
    dispatch(get, spy);
    wire.attempt(1).start().head(200, whole).data('01234').fail(failure());
    await turns();
    finish(wire);
    expect([spy.calls.at(-1), inUse()]).toEqual(['error broken', 0]);
  });

  test.each(ENDS_WITHOUT_BODY)('and not after %s', (_, finish) => {
    const { wire, spy, dispatch, inUse } = setUp();
    dispatch(get, spy);
    finish(wire);
    expect(inUse()).toBe(0);
  });

  test('and is free while a retry waits for its delay', async () => {
    const { wire, spy, dispatch, inUse } = setUp();
    const other = new HandlerSpy();
    dispatch(get, spy);
    wire.attempt(1).start().head(503).data('no');
    dispatch(get, other);
    await turns();
    // The discarded response still has its connection.
    expect([wire.attempts.length, inUse()]).toEqual([1, 1]);
    wire.attempt(1).end();
    await turns();
    expect([wire.attempts.length, inUse()]).toEqual([2, 1]);
    wire.attempt(2).start().head(200).end();
    await turns();
    wire.attempt(3).start().head(200).end();
    expect([spy, other].map(({ calls }) => calls)).toEqual([
      ['start', 'head 200', 'end {}'],
      ['start', 'head 200', 'end {}'],
    ]);
    expect(inUse()).toBe(0);
  });
});

test.each(Object.entries(versions))('%s: maxConcurrent is never exceeded', async (_, { Agent, request }) => {
  let most = 0;
  let open = 0;
  // The server responds only once it has two requests, which proves that two can be sent at a time.
  const two = Promise.withResolvers<void>();
  await using server = await upstream((response, _seen, number) => {
    open += 1;
    most = Math.max(most, open);
    if (open === 2) setImmediate(two.resolve);
    two.promise.then(() => {
      open -= 1;
      response.writeHead(number % 3 === 0 ? 503 : 200).end('x'.repeat(10_000));
    });
  });
  const concurrency = concurrencyLimit({ maxConcurrent: 2 });
  const agent = new Agent();
  const dispatcher: Dispatcher = agent.compose(ebbInterceptor({ backoff: constant(0), concurrency }));
  const send = async (): Promise<number> => {
    const { statusCode, body } = await request(server.url, { dispatcher });
    await body.dump();
    return statusCode;
  };
  expect(await Promise.all(Array.from({ length: 12 }, send))).toEqual(Array(12).fill(200));
  expect(most).toBe(2);
  expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
  await agent.destroy();
});
