import type { Inspect, InspectResult } from '@ebb/core';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { tokensFor } from '../test/bucket.ts';
import { bodyOf, errorInBody, errorInFirstEvent, start } from '../test/inspect.ts';
import { oneSlot, passBackoff, reset, type Setting, settle } from '../test/relay.ts';
import { acting, type Wire } from '../test/wire.ts';

const nothing: Inspect = () => undefined;

/** Retries a body that is not empty, once it has come. */
const retryWhole: Inspect = async (response) =>
  (await response.text()) === '' ? undefined : { verdict: 'transient' };

/** A look that a test ends. */
function byHand() {
  const { promise, resolve } = Promise.withResolvers<InspectResult | undefined>();
  return { look: () => promise, judge: (advice?: InspectResult) => resolve(advice) };
}

describe('a body that is not asked for', () => {
  test('holds the response for a turn of promises, with whatever follows in the meantime', async () => {
    const { wire, spy } = start(nothing);
    wire.attempt(1).start().head(200).data('a').data('b').end({ sum: '1' });
    expect(spy.calls).toEqual(['start']);
    for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
    expect(spy.calls).toEqual(['start', 'head 200', 'data a', 'data b', 'end {"sum":"1"}']);
    expect(wire.attempt(1).connection.calls).toEqual([]);
  });

  test('pauses the connection once 64 KiB have come, until it is passed on', async () => {
    const { look, judge } = byHand();
    const { wire, spy } = start(look);
    const { connection } = wire.attempt(1).start().head(200).data('x'.repeat(65_536));
    expect(connection.calls).toEqual([]);
    wire.attempt(1).data('x');
    expect(connection.calls).toEqual(['pause']);
    judge();
    await settle();
    expect([connection.calls, bodyOf(spy).length]).toEqual([['pause', 'resume'], 65_537]);
    wire.attempt(1).data('y').end();
    expect(spy.calls.slice(-2)).toEqual(['data y', 'end {}']);
  });

  test('does not pause the connection with its last byte, since undici may then see the connection end first', async () => {
    const { look, judge } = byHand();
    const { wire, spy } = start(look);
    const { connection } = wire.attempt(1).start().head(200, { 'content-length': '65537' });
    wire.attempt(1).data('x'.repeat(65_536)).data('x');
    expect(connection.calls).toEqual([]);
    wire.attempt(1).end();
    judge();
    await settle();
    expect([bodyOf(spy).length, spy.calls.at(-1)]).toEqual([65_537, 'end {}']);
  });

  test('is read along without a pause', async () => {
    const { wire, spy } = start(async (response) => void (await response.text()), { maxBytes: 500_000 });
    const { connection } = wire.attempt(1).start().head(200);
    for (let part = 0; part < 5; part += 1) {
      wire.attempt(1).data('x'.repeat(60_000));
      await settle();
    }
    wire.attempt(1).end();
    await settle();
    expect([connection.calls, bodyOf(spy).length]).toEqual([[], 300_000]);
  });

  test('and is asked for later, resumes the connection for it', async () => {
    const opened = Promise.withResolvers<void>();
    const seen: number[] = [];
    const look: Inspect = async (response) => {
      await opened.promise;
      seen.push((await response.text()).length);
      return undefined;
    };
    const { wire, spy } = start(look, { maxBytes: 200_000 });
    const { connection } = wire.attempt(1).start().head(200).data('x'.repeat(70_000));
    expect(connection.calls).toEqual(['pause']);
    opened.resolve();
    await settle();
    expect(connection.calls).toEqual(['pause', 'resume']);
    wire.attempt(1).data('x'.repeat(70_000)).end();
    await settle();
    expect([seen, bodyOf(spy).length]).toEqual([[140_000], 140_000]);
  });
});

test.each<[string, Inspect, method: string]>([
  [
    'that breaks while it is held is passed on as it is, if it may not be sent again',
    errorInFirstEvent,
    'POST',
  ],
])('a body %s', async (_, look, method) => {
  const { wire, spy } = start(look, {}, { method });
  const error = reset();
  wire.attempt(1).start().head(200).data('data:').fail(error);
  await settle();
  expect(spy.calls).toEqual(['start', 'head 200', 'data data:', 'error reset']);
  expect([spy.error, wire.attempts.length]).toEqual([error, 1]);
});

describe('the handler of a response that was held', () => {
  test('pauses: it gets what was held, and then the connection sends no more', async () => {
    const pausing = acting('onResponseData', (controller) => controller.pause());
    const { wire, spy } = start(nothing, {}, {}, pausing);
    const { connection } = wire.attempt(1).start().head(200).data('a').data('b');
    await settle();
    expect([bodyOf(spy), connection.calls]).toEqual(['ab', ['pause']]);
    spy.controller?.resume();
    expect(connection.calls).toEqual(['pause', 'resume']);
    wire.attempt(1).data('c').end();
    expect([bodyOf(spy), spy.calls.at(-1)]).toEqual(['abc', 'end {}']);
  });

  test('has paused before: a connection that was paused goes on with the handler', async () => {
    const { wire, spy } = start(nothing);
    wire.attempt(1).start();
    spy.controller?.pause();
    const { connection } = wire.attempt(1).head(200).data('x'.repeat(65_537));
    await settle();
    expect([bodyOf(spy).length, connection.paused]).toEqual([65_537, true]);
    spy.controller?.resume();
    expect(connection.paused).toBe(false);
  });

  const enough = new Error('enough');
  const fail = (): never => {
    throw enough;
  };
  const abort = (controller: Dispatcher.DispatchController): void => controller.abort(enough);

  test.each([
    ['throws at its data', 'onResponseData', fail, 'a'],
    ['aborts at its head', 'onResponseStart', abort, ''],
  ] as const)('%s: it gets that error, and nothing else', async (_, at, act, body) => {
    const concurrency = oneSlot();
    const { wire, spy } = start(nothing, { concurrency }, {}, acting(at, act));
    const attempt = wire.attempt(1).start().head(200).data('a').data('b');
    if (act === fail) attempt.end();
    await settle();
    expect(spy.error).toBe(enough);
    expect(spy.calls.filter((call) => call.startsWith('error'))).toEqual([spy.calls.at(-1)]);
    expect(bodyOf(spy)).toBe(body);
    expect([concurrency.stats().inUse, attempt.connection.aborted]).toEqual([0, act === abort]);
  });
});

describe('a held response ends early', () => {
  test.each<[string, (setting: Setting) => unknown]>([
    ['has arrived in part', ({ wire }) => wire.attempt(1).data('{')],
    ['has arrived whole', ({ wire }) => wire.attempt(1).data('{').end()],
    ['has broken', ({ wire }) => wire.attempt(1).data('{').fail(reset())],
  ])('by an abort when it %s: at once, with its reason, whatever the look does', async (_, arrive) => {
    const looks: Inspect[] = [
      errorInBody,
      (response) => response.text().then(() => new Promise(() => undefined)),
      (response) => response.text().then(() => Promise.reject(new Error('broken'))),
    ];
    for (const look of looks) {
      const concurrency = oneSlot();
      const setting = start(look, { concurrency });
      const { wire, spy, clock, events } = setting;
      wire.attempt(1).start().head(200);
      arrive(setting);
      const reason = new Error('enough');
      spy.controller?.abort(reason);
      expect([spy.error, concurrency.stats().inUse]).toEqual([reason, 0]);
      await settle();
      await clock.advance(5_000);
      expect(spy.calls).toEqual(['start', 'error enough']);
      expect(events.filter(({ type }) => type === 'end')).toMatchObject([{ reason: 'aborted' }]);
      expect([wire.attempts.length, clock.pending]).toEqual([1, 0]);
    }
  });
});

describe('with limits', () => {
  test.each<[string, (wire: Wire) => unknown, string]>([
    ['ends', (wire) => wire.attempt(1).data('b').end(), 'end {}'],
  ])('the slot is held until the body %s, although the handler is paused', async (_, finish, last) => {
    const concurrency = oneSlot();
    const { wire, spy } = start(nothing, { concurrency });
    wire.attempt(1).start();
    spy.controller?.pause();
    wire.attempt(1).head(200).data('a');
    await settle();
    expect(concurrency.stats().inUse).toBe(1);
    finish(wire);
    expect([spy.calls.slice(2), concurrency.stats().inUse]).toEqual([['data a', 'data b', last], 0]);
  });

  test.each<[what: string, look: Inspect, calls: readonly string[]]>([
    ['passed on', nothing, ['start', 'head 200', 'data {"error":1}', 'end {}']],
    ['sent again', errorInBody, ['start']],
  ])('the slot of a whole response is free once that is %s', async (_, look, calls) => {
    const concurrency = oneSlot();
    const { wire, spy } = start(look, { concurrency });
    wire.attempt(1).start().head(200).data('{"error":1}').end();
    expect(concurrency.stats().inUse).toBe(1);
    await settle();
    expect([spy.calls, concurrency.stats().inUse]).toEqual([calls, 0]);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['that had arrived', ['{"error":', '1}'], []],
    ['of which the rest arrives after it was judged', ['event: error\ndata: a\n\n'], ['data: b\n\n']],
  ])('if the bucket refuses the retry, the handler gets the whole body %s', async (_, before, after) => {
    const look = after.length > 0 ? errorInFirstEvent : retryWhole;
    const { wire, spy, clock } = start(look, { bucket: tokensFor(1) });
    const first = wire.attempt(1).start().head(200);
    for (const part of before) first.data(part);
    if (after.length === 0) first.end({ sum: '1' });
    await settle();
    for (const part of after) first.data(part);
    if (after.length > 0) first.end({ sum: '1' });
    await passBackoff(clock);
    expect([spy.calls[1], spy.calls.at(-1)]).toEqual(['head 200', 'end {"sum":"1"}']);
    expect([bodyOf(spy), wire.attempts.length]).toEqual([[...before, ...after].join(''), 1]);
  });
});
