// Two things in one turn: an abort beside a permit, a stop beside a body, an upload beside a retry.
import { Readable } from 'node:stream';
import { constant, type EbbEvent, type PolicyOptions, retry } from '@ebb/core';
import { countClient } from '@ebb/core/adapter';
import { expect, test } from 'vitest';
import { begin, get, oneSlot, passBackoff, refused, reset, settle, time } from '../test/relay.ts';
import { HandlerSpy, Wire } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

const enough = new Error('enough');
const broken = new Error('broke');
const upload = (): Readable => new Readable({ read() {} });

/** A request that waits for the only slot. Its events are those of `onEvent`. */
async function waiting(
  onEvent: (event: EbbEvent, spy: HandlerSpy) => unknown,
  options: PolicyOptions = {},
  request: object = {},
) {
  const slots = oneSlot();
  const held = slots.tryAcquire();
  const reasons: string[] = [];
  const spy = new HandlerSpy();
  const note = (event: EbbEvent): void => {
    if (event.type === 'end') reasons.push(event.reason);
    onEvent(event, spy);
  };
  const { wire } = begin({ concurrency: slots, onEvent: note, ...options }, request, spy);
  await settle();
  return { wire, spy, reasons, release: () => held?.release(), inUse: () => slots.stats().inUse };
}

test('an abort in the turn in which a slot comes gives the slot back', async () => {
  const { spy, reasons, release, inUse } = await waiting(() => undefined);
  release();
  spy.controller?.abort(enough);
  await settle();
  expect([inUse(), spy.error, reasons]).toEqual([0, enough, ['aborted']]);
});

test('an upload is closed if an observer of the first attempt aborts', async () => {
  const body = upload();
  const act = ({ type }: EbbEvent, spy: HandlerSpy) => type === 'attempt' && spy.controller?.abort(enough);
  const { spy, wire, release } = await waiting(act, {}, { method: 'PUT', body });
  release();
  await settle();
  expect([wire.attempts.length, body.destroyed, spy.error]).toEqual([0, true, enough]);
});

test('an abort while the answer before a stop is still read ends with the abort', async () => {
  const stop = new AbortController();
  const { spy, wire } = begin({ stopSignal: stop.signal });
  wire.attempt(1).start().head(503, { 'content-length': '10' }).data('abc');
  await settle();
  stop.abort();
  await settle();
  spy.controller?.abort(enough);
  await settle();
  expect([spy.calls, spy.error]).toEqual([['start', 'error enough'], enough]);
});

test('a request with the options of an attempt that has failed is one of its own', async () => {
  countClient();
  const wire = new Wire();
  const dispatch = ebbInterceptor({ backoff: constant(100), clock: time })(wire.dispatch);
  dispatch(get, new HandlerSpy());
  wire.attempt(1).fail(reset());
  dispatch(wire.attempt(1).options, new HandlerSpy());
  wire.attempt(2).fail(reset());
  await settle();
  await time.advance(100);
  expect(wire.attempts).toHaveLength(4);
});

test('an upload that fails in the turn of a retry without a delay is not sent again', async () => {
  const body = upload();
  const onEvent = ({ type }: EbbEvent) => type === 'retry' && process.nextTick(() => body.destroy(broken));
  const { spy, wire, clock } = begin({ backoff: constant(0), onEvent }, { method: 'PUT', body });
  wire.attempt(1).fail(refused());
  await settle();
  await passBackoff(clock, 0);
  expect([wire.attempts.length, spy.error]).toEqual([1, broken]);
});

test.each<[what: string, options: PolicyOptions]>([
  ['that is sent at once', {}],
  ['with an observer', { onEvent: () => undefined }],
])(
  'an interceptor below whose own call was repeated and has failed is not called again: %s',
  async (_, options) => {
    const policy = { backoff: constant(0), maxRetries: 2, ...options };
    const lost = reset();
    let [asked, sent] = [0, 0];
    const token = (): Promise<never> =>
      retry(() => {
        asked += 1;
        throw lost;
      }, policy);
    // With a client of another kind in the program, calls within are found by the async context.
    countClient();
    const spy = new HandlerSpy();
    const dispatch = ebbInterceptor(policy)((_, handler) => {
      sent += 1;
      token().catch((error: Error) => handler.onResponseError?.(null as never, error));
      return true;
    });
    dispatch(get, spy);
    await expect.poll(() => spy.error).toBe(lost);
    expect([sent, asked]).toEqual([1, 3]);
  },
);
