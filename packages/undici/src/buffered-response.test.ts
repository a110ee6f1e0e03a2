import { concurrencyLimit, detailsOf, type EbbEvent, HookError, type Judgement } from '@ebb/core';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { tokensFor } from '../test/bucket.ts';
import { bodyOf, errorInBody, errorInFirstEvent, type Look, settle, start } from '../test/inspect.ts';
import { passBackoff, reset, type Setting, time } from '../test/relay.ts';
import { acting, type Wire } from '../test/wire.ts';

describe('a body that is not asked for', () => {
  test('holds the response for a turn of promises, with whatever follows in the meantime', async () => {
    const { wire, spy } = start(() => undefined);
    wire.attempt(1).start().head(200).data('a').data('b').end({ sum: '1' });
    expect(spy.calls).toEqual(['start']);
    for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
    expect(spy.calls).toEqual(['start', 'head 200', 'data a', 'data b', 'end {"sum":"1"}']);
    expect(wire.attempt(1).connection.calls).toEqual([]);
  });

  test('pauses the connection once 64 KiB have come, until it is passed on', async () => {
    let judge: () => void = () => undefined;
    const { wire, spy } = start(() => new Promise((resolve) => (judge = () => resolve(undefined))));
    const { connection } = wire.attempt(1).start().head(200).data('x'.repeat(65_536));
    expect(connection.calls).toEqual([]);
    wire.attempt(1).data('x');
    expect(connection.calls).toEqual(['pause']);
    judge();
    await settle();
    expect(connection.calls).toEqual(['pause', 'resume']);
    expect(bodyOf(spy)).toHaveLength(65_537);
    wire.attempt(1).data('y').end();
    expect(spy.calls.slice(-2)).toEqual(['data y', 'end {}']);
  });

  test('does not pause the connection with its last byte, since undici may then see the connection end first', async () => {
    const { wire, spy } = start(() => new Promise((resolve) => setImmediate(() => resolve(undefined))));
    const { connection } = wire.attempt(1).start().head(200, { 'content-length': '65537' });
    wire.attempt(1).data('x'.repeat(65_536)).data('x');
    expect(connection.calls).toEqual([]);
    wire.attempt(1).end();
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
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const seen: number[] = [];
    const { wire, spy } = start(
      async (response) => {
        await opened;
        seen.push((await response.text()).length);
        return undefined;
      },
      { maxBytes: 200_000 },
    );
    const { connection } = wire.attempt(1).start().head(200).data('x'.repeat(70_000));
    expect(connection.calls).toEqual(['pause']);
    open();
    await settle();
    expect(connection.calls).toEqual(['pause', 'resume']);
    wire.attempt(1).data('x'.repeat(70_000)).end();
    await settle();
    expect(seen).toEqual([140_000]);
    expect(bodyOf(spy)).toHaveLength(140_000);
  });
});

describe('a body that breaks while it is held', () => {
  test('is passed on as it is if the request may not be sent again', async () => {
    const { wire, spy } = start(errorInFirstEvent, {}, { method: 'POST' });
    const error = reset();
    wire.attempt(1).start().head(200).data('data:').fail(error);
    await settle();
    expect(spy.calls).toEqual(['start', 'head 200', 'data data:', 'error reset']);
    expect(spy.error).toBe(error);
    expect(wire.attempts).toHaveLength(1);
  });

  test('after what inspect asks for is passed on as it is', async () => {
    const { wire, spy } = start(() => undefined);
    wire.attempt(1).start().head(200).data('half').fail(reset());
    await settle();
    expect(spy.calls).toEqual(['start', 'head 200', 'data half', 'error reset']);
  });
});

describe('the handler of a response that was held', () => {
  test('pauses: it gets what was held, and then the connection sends no more', async () => {
    const { wire, spy } = start(
      () => undefined,
      {},
      {},
      acting('onResponseData', (controller) => controller.pause()),
    );
    const { connection } = wire.attempt(1).start().head(200).data('a').data('b');
    await settle();
    expect([bodyOf(spy), connection.calls]).toEqual(['ab', ['pause']]);
    spy.controller?.resume();
    expect(connection.calls).toEqual(['pause', 'resume']);
    wire.attempt(1).data('c').end();
    expect([bodyOf(spy), spy.calls.at(-1)]).toEqual(['abc', 'end {}']);
  });

  test('has paused before: a connection that was paused goes on with the handler', async () => {
    const { wire, spy } = start(() => undefined);
    wire.attempt(1).start();
    spy.controller?.pause();
    const { connection } = wire.attempt(1).head(200).data('x'.repeat(65_537));
    await settle();
    expect([bodyOf(spy).length, connection.paused]).toEqual([65_537, true]);
    spy.controller?.resume();
    expect(connection.paused).toBe(false);
  });

  test('goes on while it gets what was held: the connection goes on after that', async () => {
    const hasty = acting('onResponseData', (controller) => {
      controller.pause();
      controller.resume();
    });
    const { wire, spy } = start(() => undefined, {}, {}, hasty);
    const { connection } = wire.attempt(1).start().head(200).data('x'.repeat(65_536)).data('y');
    let left = 1;
    connection.resume = () => {
      if (left-- > 0) wire.attempt(1).data('z').end();
    };
    await settle();
    expect(bodyOf(spy).slice(65_535)).toBe('xyz');
    expect(spy.calls.at(-1)).toBe('end {}');
  });

  const enough = new Error('enough');
  const fail = (): never => {
    throw enough;
  };
  const abort = (controller: Dispatcher.DispatchController): void => controller.abort(enough);

  test.each([
    ['throws at its head', 'onResponseStart', fail, ''],
    ['throws at its data', 'onResponseData', fail, 'a'],
    ['throws at its end', 'onResponseEnd', fail, 'ab'],
    ['aborts at its head', 'onResponseStart', abort, ''],
    ['aborts at its data', 'onResponseData', abort, 'a'],
  ] as const)('%s: it gets that error, and nothing else', async (_, at, act, body) => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock: time });
    const { wire, spy } = start(() => undefined, { concurrency }, {}, acting(at, act));
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
  const limited = () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock: time });
    return { options: { concurrency }, inUse: () => concurrency.stats().inUse };
  };

  test.each<[string, (setting: Setting) => unknown]>([
    ['has arrived in part', ({ wire }) => wire.attempt(1).data('a')],
    ['has arrived whole', ({ wire }) => wire.attempt(1).data('a').end()],
    ['has broken', ({ wire }) => wire.attempt(1).data('a').fail(reset())],
  ])('by an abort when it %s: at once, with its reason', async (_, arrive) => {
    const { options, inUse } = limited();
    const setting = start((response) => response.text().then(() => new Promise(() => undefined)), options);
    const { wire, spy, clock, events } = setting;
    wire.attempt(1).start().head(200);
    arrive(setting);
    await settle();
    const reason = new Error('enough');
    spy.controller?.abort(reason);
    expect(spy.error).toBe(reason);
    expect(spy.calls).toEqual(['start', 'error enough']);
    expect(inUse()).toBe(0);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted' });
    await clock.advance(5_000);
    expect(spy.calls).toEqual(['start', 'error enough']);
    expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
    expect([wire.attempts.length, clock.pending]).toEqual([1, 0]);
  });

  test('an inspect that fails after an abort adds nothing', async () => {
    const { wire, spy, events } = start(async (response) => {
      await response.text();
      throw new Error('broken');
    });
    wire.attempt(1).start().head(200).data('a');
    await settle();
    spy.controller?.abort(new Error('enough'));
    await settle();
    expect(spy.calls).toEqual(['start', 'error enough']);
    expect(events.filter(({ type }) => type === 'end')).toMatchObject([{ reason: 'aborted' }]);
  });

  test('an abort ends the look: its read does not hang', async () => {
    const { wire, spy, clock } = start(errorInBody);
    wire.attempt(1).start().head(200).data('{');
    await settle();
    spy.controller?.abort(new Error('enough'));
    await settle();
    expect(wire.attempt(1).connection.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test.each<[string, Look]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['returns something else', () => 'retry' as unknown as Judgement],
  ])('by an inspect that %s: the request fails, and its connection is aborted', async (_, look) => {
    const { options, inUse } = limited();
    const { wire, spy, clock, events } = start(look, options);
    wire.attempt(1).start().head(200).data('a');
    await settle();
    expect(spy.error).toBeInstanceOf(HookError);
    expect(spy.error).toMatchObject({ hook: 'inspect' });
    expect(spy.calls).toHaveLength(2);
    expect(wire.attempt(1).connection.aborted).toBe(true);
    const end = events.at(-1) as EbbEvent;
    expect(end).toMatchObject({
      type: 'end',
      reason: 'final',
      error: { name: 'HookError', hook: 'inspect' },
    });
    expect(detailsOf(end)?.error).toBe(spy.error);
    expect([inUse(), clock.pending]).toEqual([0, 0]);
  });

  test('by an inspect that throws after the response has arrived: its connection is left alone', async () => {
    const { wire, spy } = start(() => Promise.reject(new Error('broken')));
    wire.attempt(1).start().head(200).data('a').end();
    await settle();
    expect(spy.error).toMatchObject({ hook: 'inspect' });
    expect(wire.attempt(1).connection.aborted).toBe(false);
  });
});

describe('with limits', () => {
  test.each<[string, (wire: Wire) => unknown, string]>([
    ['ends', (wire) => wire.attempt(1).data('b').end(), 'end {}'],
    ['breaks', (wire) => wire.attempt(1).data('b').fail(new Error('final')), 'error final'],
  ])('the slot is held until the body %s, although the handler is paused', async (_, finish, last) => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock: time });
    const { wire, spy } = start(() => undefined, { concurrency });
    wire.attempt(1).start();
    spy.controller?.pause();
    wire.attempt(1).head(200).data('a');
    await settle();
    expect(concurrency.stats().inUse).toBe(1);
    finish(wire);
    expect([spy.calls.slice(2), concurrency.stats().inUse]).toEqual([['data a', 'data b', last], 0]);
  });

  test('the slot of a whole response is free once it is passed on', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock: time });
    const { wire, spy } = start(() => undefined, { concurrency });
    wire.attempt(1).start().head(200).data('a').end();
    expect(concurrency.stats().inUse).toBe(1);
    await settle();
    expect([spy.calls.at(-1), concurrency.stats().inUse]).toEqual(['end {}', 0]);
  });

  test('the slot of a response that is sent again is free while the retry waits', async () => {
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock: time });
    const { wire } = start(errorInBody, { concurrency });
    wire.attempt(1).start().head(200).data('{"error":1}').end();
    await settle();
    expect(concurrency.stats().inUse).toBe(0);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['that had arrived', ['{"error":', '1}'], []],
    ['of which the rest arrives after it was judged', ['event: error\ndata: a\n\n'], ['data: b\n\n']],
  ])('if the bucket refuses the retry, the handler gets the whole body %s', async (_, before, after) => {
    const look: Look = async (response) =>
      (await (after.length > 0 ? response.firstEvent() : response.text())) === undefined
        ? undefined
        : { verdict: 'transient' };
    const { wire, spy, clock } = start(look, { bucket: tokensFor(1) });
    wire.attempt(1).start().head(200);
    for (const part of before) wire.attempt(1).data(part);
    if (after.length === 0) wire.attempt(1).end({ sum: '1' });
    await settle();
    for (const part of after) wire.attempt(1).data(part);
    if (after.length > 0) wire.attempt(1).end({ sum: '1' });
    await passBackoff(clock);
    expect(spy.calls[1]).toBe('head 200');
    expect(bodyOf(spy)).toBe([...before, ...after].join(''));
    expect(spy.calls.at(-1)).toBe('end {"sum":"1"}');
    expect(wire.attempts).toHaveLength(1);
  });

  test('a connection that was paused by a long body is closed for the retry', async () => {
    let judge: (judgement: Judgement) => void = () => undefined;
    const { wire, clock } = start(() => new Promise((resolve) => (judge = resolve)));
    const { connection } = wire.attempt(1).start().head(200).data('x'.repeat(70_000));
    judge({ verdict: 'transient' });
    await settle();
    expect(connection.calls).toEqual(['pause', 'abort']);
    await passBackoff(clock);
    expect(wire.attempts).toHaveLength(2);
  });

  test('a long response that has arrived is not aborted for a retry, and not kept either', async () => {
    const look: Look = async (response) =>
      (await response.text()) === '' ? undefined : { verdict: 'transient' };
    const { wire, spy, clock } = start(look, { maxBytes: 400_000, bucket: tokensFor(1) });
    wire.attempt(1).start().head(200).data('x'.repeat(300_000)).end();
    await passBackoff(clock);
    expect(wire.attempt(1).connection.aborted).toBe(false);
    expect(spy.calls).toEqual(['start', 'head 200', expect.stringMatching('error .*discarded for a retry')]);
  });

  test('a held body counts for the bounds of a discarded one', async () => {
    const look: Look = async (response) =>
      (await response.text()) === '' ? undefined : { verdict: 'transient' };
    const { wire, clock } = start(look, { maxBytes: 1_000_000, timeoutMs: 10_000 });
    wire.attempt(1).start().head(200);
    for (let part = 0; part < 3; part += 1) {
      wire.attempt(1).data('x'.repeat(100_000));
      await settle();
    }
    await clock.advance(10_000);
    // Its look has timed out, it is judged, and 300,000 bytes are more than are read of a discarded response.
    await settle();
    expect(wire.attempt(1).connection.aborted).toBe(true);
    await passBackoff(clock);
    expect(wire.attempts).toHaveLength(2);
  });
});
