import { constant, type PolicyOptions } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { HandlerSpy, Wire } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

const get = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;

function begin(options: PolicyOptions = {}) {
  const clock = virtualClock({ startMs: 0 });
  const wire = new Wire();
  const spy = new HandlerSpy();
  const covering = { totalTimeoutMs: 500, totalTimeoutCovers: 'body', backoff: constant(400) } as const;
  ebbInterceptor({ ...covering, clock, ...options })(wire.dispatch)(get, spy);
  return { clock, wire, spy };
}

test('a total timeout that covers the body ends it with the timeout error of undici, not earlier', async () => {
  const { clock, wire, spy } = begin();
  wire.attempt(1).start().head(200).data('a');
  await clock.advance(499);
  expect(wire.attempt(1).connection.aborted).toBe(false);
  await clock.advance(1);
  expect(wire.attempt(1).connection.aborted).toBe(true);
  expect(spy.error).toMatchObject({
    code: 'UND_ERR_HEADERS_TIMEOUT',
    message: expect.stringMatching(/500 ?ms/),
  });
  expect(clock.pending).toBe(0);
});

test('it counts from the call: a retry before leaves less', async () => {
  const { clock, wire, spy } = begin();
  wire.attempt(1).start().head(503).end();
  await nextTurn();
  await clock.advance(400);
  wire.attempt(2).start().head(200).data('a');
  await clock.advance(99);
  expect(spy.error).toBeUndefined();
  await clock.advance(1);
  expect(spy.error).toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
});

test.each<[string, (wire: Wire, spy: HandlerSpy) => unknown]>([
  ['ends', (wire) => wire.attempt(1).end()],
  ['breaks', (wire) => wire.attempt(1).fail(new Error('final'))],
  ['is aborted', (_, spy) => spy.controller?.abort(new Error('enough'))],
])('it leaves no timer once the body %s', (_, finish) => {
  const { clock, wire, spy } = begin();
  wire.attempt(1).start().head(200).data('a');
  expect(clock.pending).toBe(1);
  finish(wire, spy);
  expect(clock.pending).toBe(0);
});

test.each([undefined, 'headers'] as const)('with %s it leaves the body alone', (totalTimeoutCovers) => {
  const { clock, wire } = begin({ totalTimeoutCovers });
  wire.attempt(1).start().head(200).data('a');
  expect(clock.pending).toBe(0);
});
