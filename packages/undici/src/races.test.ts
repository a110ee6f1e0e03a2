// Two things in one turn: an abort beside a permit, a stop beside a body, an upload beside a retry.
import { Readable } from 'node:stream';
import { concurrencyLimit, constant, type EbbEvent, type Limit, type PolicyOptions, retry } from '@ebb/core';
import { countClient, nextTurn } from '@ebb/core/adapter';
import { describe, expect, test } from 'vitest';
import { get, passBackoff, setUp, time } from '../test/relay.ts';
import { HandlerSpy, Wire } from '../test/wire.ts';
import { ebbInterceptor } from './index.ts';

const enough = new Error('enough');
const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET' });

async function turns(count = 6): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

/** A request that waits for the only slot. Its events are those of `onEvent`. */
async function waiting(
  onEvent: (event: EbbEvent, spy: HandlerSpy) => unknown,
  { body, ...options }: PolicyOptions & { body?: Readable } = {},
) {
  const slots = concurrencyLimit({ maxConcurrent: 1, clock: time });
  const held = slots.tryAcquire();
  const reasons: string[] = [];
  const { wire, spy, dispatch } = setUp({
    concurrency: slots,
    onEvent: (event) => {
      if (event.type === 'end') reasons.push(event.reason);
      onEvent(event, spy);
    },
    ...options,
  });
  dispatch({ ...get, ...(body && { method: 'PUT', body }) }, spy);
  await turns();
  return { wire, spy, reasons, release: () => held?.release(), inUse: () => slots.stats().inUse };
}

test('an abort in the turn in which a slot comes gives the slot back', async () => {
  const { spy, reasons, release, inUse } = await waiting(() => undefined);
  release();
  spy.controller?.abort(enough);
  await turns();
  expect([inUse(), spy.error, reasons]).toEqual([0, enough, ['aborted']]);
});

test.each([
  ['stop', 'stopped'],
  ['abort', 'aborted'],
])('nothing is sent after what an observer of the wait does: %s', async (what, reason) => {
  const stop = new AbortController();
  const { wire, reasons, release, inUse } = await waiting(
    ({ type }, spy) => {
      if (type !== 'wait') return;
      if (what === 'stop') stop.abort();
      else spy.controller?.abort(enough);
    },
    { stopSignal: stop.signal },
  );
  await time.advance(10);
  release();
  await turns();
  expect([wire.attempts.length, inUse(), reasons]).toEqual([0, 0, [reason]]);
});

test('an upload is closed if an observer of the first attempt aborts', async () => {
  const body = new Readable({ read() {} });
  const { spy, wire, release } = await waiting(
    ({ type }, handler) => type === 'attempt' && handler.controller?.abort(enough),
    { body },
  );
  release();
  await turns();
  expect([wire.attempts.length, body.destroyed, spy.error]).toEqual([0, true, enough]);
});

test('an abort while the answer before a stop is still read ends with the abort', async () => {
  const stop = new AbortController();
  const { dispatch, spy, wire } = setUp({ stopSignal: stop.signal });
  dispatch(get, spy);
  wire.attempt(1).start().head(503, { 'content-length': '10' }).data('abc');
  await turns();
  stop.abort();
  await turns();
  spy.controller?.abort(enough);
  await turns();
  expect([spy.calls, spy.error]).toEqual([['start', 'error enough'], enough]);
});

test('a request with the options of an attempt that has failed is one of its own', async () => {
  countClient();
  const wire = new Wire();
  const dispatch = ebbInterceptor({ backoff: constant(100), clock: time })(wire.dispatch);
  dispatch(get, new HandlerSpy());
  wire.attempt(1).fail(lost);
  dispatch(wire.attempt(1).options, new HandlerSpy());
  wire.attempt(2).fail(lost);
  await turns();
  await time.advance(100);
  expect(wire.attempts).toHaveLength(4);
});

test('an upload that fails in the turn of a retry without a delay is not sent again', async () => {
  const body = new Readable({ read() {} });
  const broken = new Error('upload broke');
  const { dispatch, spy, wire, clock } = setUp({
    backoff: constant(0),
    onEvent: ({ type }) => type === 'retry' && process.nextTick(() => body.destroy(broken)),
  });
  dispatch({ ...get, method: 'PUT', body }, spy);
  wire.attempt(1).fail(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
  await turns();
  await clock.advance(0);
  await turns();
  expect([wire.attempts.length, spy.error]).toEqual([1, broken]);
});

describe('what a limit throws when something goes back, or at the end, changes nothing', () => {
  const broken = (): never => {
    throw new Error('broke');
  };
  test.each<[what: string, own: Partial<Limit>]>([
    ['release', { take: () => ({ cancel: () => undefined, release: broken }) }],
    ['ended of a permit', { take: () => ({ cancel: () => undefined, ended: broken }) }],
    ['ended', { take: () => undefined, ended: broken }],
  ])('%s', async (_, own) => {
    const { dispatch, spy, wire, clock, events } = setUp({ limits: [{ name: 'own', ...own }] });
    dispatch(get, spy);
    wire.attempt(1).start().head(503).end();
    await passBackoff(clock);
    wire.attempt(2).start().head(200).end();
    await turns();
    expect(spy.calls.slice(0, 2)).toEqual(['start', 'head 200']);
    expect(events.filter(({ type }) => type === 'end')).toMatchObject([{ reason: 'success' }]);
  });
});

test.each<[what: string, options: PolicyOptions]>([
  ['that is sent at once', {}],
  ['with an observer', { onEvent: () => undefined }],
])(
  'an interceptor below whose own call was repeated and has failed is not called again: %s',
  async (_, options) => {
    const policy = { backoff: constant(0), maxRetries: 2, ...options };
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
    await turns(30);
    expect([sent, asked, spy.error]).toEqual([1, 3, lost]);
  },
);
