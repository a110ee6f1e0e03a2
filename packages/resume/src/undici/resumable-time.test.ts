import { constant, createPolicy, type EbbEvent, type PolicyOptions } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { ebbInterceptor } from '@ebb/undici';
import { expect, test } from 'vitest';
import { HandlerSpy, Wire } from '../../../undici/test/wire.ts';
import { type ResumableOptions, resumable } from '../undici.ts';

const get = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;
const headers = { 'content-type': 'text/event-stream' };
const one = 'id: 1\ndata: a\n\n';
const two = 'id: 2\ndata: b\n\n';
const broken = (): Error => Object.assign(new Error('broken'), { code: 'ECONNRESET' });

/** A request whose first response has begun. */
function begin(options: ResumableOptions = {}, policyOptions: PolicyOptions = {}) {
  const clock = virtualClock({ startMs: 0 });
  const events: EbbEvent[] = [];
  const policy = createPolicy({
    backoff: constant(1_000),
    clock,
    random: () => 0,
    onEvent: (event) => events.push(event),
    ...policyOptions,
  });
  const wire = new Wire();
  const spy = new HandlerSpy();
  resumable({ policy, ...options })(ebbInterceptor(policy)(wire.dispatch))(get, spy);
  wire.attempt(1).start().head(200, headers);
  const pass = async (durationMs: number): Promise<void> => {
    await clock.advance(durationMs);
    for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  };
  return { clock, events, wire, spy, pass };
}

/** The data that the handler got. */
const dataOf = ({ calls }: HandlerSpy): string =>
  calls.flatMap((call) => (call.startsWith('data ') ? [call.slice(5)] : [])).join('');

test('silence is a break, whose connection is closed', async () => {
  const { events, wire, spy, pass } = begin({ idleTimeoutMs: 5_000 });
  wire.attempt(1).data(one);
  await pass(4_999);
  expect(wire.attempt(1).connection.aborted).toBe(false);
  await pass(1);
  expect(wire.attempt(1).connection.aborted).toBe(true);
  await pass(1_000);
  wire.attempt(2).start().head(200, headers).data(two).end();
  expect(dataOf(spy)).toBe(one + two);
  expect(spy.calls.at(-1)).toBe('end {}');
  expect(events.filter(({ type }) => type === 'resume')).toMatchObject([
    { reason: 'idle', passedBytes: 15, delayMs: 1_000, outcome: { kind: 'timeout' } },
  ]);
  expect(events.at(-1)).toMatchObject({ type: 'resume-end', result: 'continued', attempt: 2 });
});

test('comments end a silence, and leave no timer', async () => {
  const { clock, wire, spy, pass } = begin({ idleTimeoutMs: 5_000 });
  wire.attempt(1).data(one);
  await pass(4_000);
  wire.attempt(1).data(':\n\n');
  await pass(4_000);
  wire.attempt(1).data(two).end();
  expect(dataOf(spy)).toBe(`${one}:\n\n${two}`);
  expect(clock.pending).toBe(0);
});

test('the time in which the reader has paused is no silence', async () => {
  const { wire, spy, pass } = begin({ idleTimeoutMs: 5_000 });
  wire.attempt(1).data(one);
  spy.controller?.pause();
  await pass(60_000);
  spy.controller?.resume();
  await pass(4_999);
  expect(wire.attempt(1).connection.calls).toEqual(['pause', 'resume']);
  await pass(1);
  expect(wire.attempt(1).connection.calls).toEqual(['pause', 'resume', 'abort']);
});

test('a stream that falls silent, and cannot be resumed, ends with a BodyTimeoutError', async () => {
  const { wire, spy, pass, clock } = begin({ idleTimeoutMs: 5_000 });
  wire.attempt(1).data('data: a\n\n');
  await pass(5_000);
  expect(spy.error).toMatchObject({
    name: 'BodyTimeoutError',
    code: 'UND_ERR_BODY_TIMEOUT',
    message: 'Nothing arrived for 5000 ms',
    cause: new Error('not resumed: events without an id'),
  });
  expect(clock.pending).toBe(0);
});

test('the bodyTimeout of undici is a silence as well', async () => {
  const { events, wire } = begin();
  const error = Object.assign(new Error('Body Timeout Error'), { code: 'UND_ERR_BODY_TIMEOUT' });
  wire.attempt(1).data(one).fail(error);
  expect(events.at(-1)).toMatchObject({ type: 'resume', reason: 'idle' });
});

test('a total timeout holds for each resumption from its break', async () => {
  const { events, wire, spy, pass } = begin({}, { totalTimeoutMs: 2_000 });
  wire.attempt(1).data(one);
  await pass(50_000);
  wire.attempt(1).fail(broken());
  await pass(1_000);
  wire.attempt(2).start().head(200, headers).data(two);
  await pass(50_000);
  wire.attempt(2).fail(broken());
  await pass(1_000);
  // What is left of it for the response.
  wire.attempt(3).start();
  await pass(999);
  expect(spy.error).toBeUndefined();
  await pass(1);
  expect(spy.error).toMatchObject({ message: 'broken', cause: new Error('not resumed: its request failed') });
  const results = events.flatMap((event) => (event.type === 'resume-end' ? [event.result] : []));
  expect(results).toEqual(['continued', 'refused']);
  expect(dataOf(spy)).toBe(one + two);

  const late = begin({}, { totalTimeoutMs: 1_000 });
  late.wire.attempt(1).data(one).fail(broken());
  await nextTurn();
  expect(late.spy.error).toMatchObject({ cause: new Error('not resumed: too long a wait') });
});

test('an abort while it waits ends it at once, with its reason, and leaves no timer', async () => {
  const { wire, spy, pass, clock } = begin({ idleTimeoutMs: 5_000 });
  wire.attempt(1).data(one).fail(broken());
  const reason = new Error('enough');
  spy.controller?.abort(reason);
  expect(spy.error).toBe(reason);
  await pass(60_000);
  expect(wire.attempts).toHaveLength(1);
  expect(clock.pending).toBe(0);
});

test('a handler that throws gets its own error, and nothing is resumed', async () => {
  const { wire, spy, pass } = begin();
  const thrown = new Error('of the handler');
  spy.onResponseData = () => {
    throw thrown;
  };
  expect(() => wire.attempt(1).data(one)).toThrow(thrown);
  wire.attempt(1).fail(thrown);
  await pass(60_000);
  expect(spy.error).toBe(thrown);
  expect(wire.attempts).toHaveLength(1);
});

test('a handler that has paused stays so while the rest begins', async () => {
  const { wire, spy, pass } = begin();
  spy.controller?.pause();
  wire.attempt(1).data(one).fail(broken());
  await pass(1_000);
  wire.attempt(2).start().head(200, headers);
  expect(wire.attempt(2).connection.calls).toEqual(['pause']);
});

test('a dispatcher that throws for the rest: the error of the break, with that as its cause', async () => {
  const clock = virtualClock({ startMs: 0 });
  const wire = new Wire();
  const spy = new HandlerSpy();
  const closed = new Error('closed');
  const dispatch: typeof wire.dispatch = (options, handler) => {
    if (wire.attempts.length > 0) throw closed;
    return wire.dispatch(options, handler);
  };
  resumable({ policy: { clock, backoff: constant(0) } })(dispatch)(get, spy);
  const error = broken();
  wire.attempt(1).start().head(200, headers).data(one).fail(error);
  await clock.advance(0);
  await nextTurn();
  expect(spy.error).toBe(error);
  expect((error.cause as Error).cause).toBe(closed);
});
