import { describe, expect, test, vi } from 'vitest';
import {
  callWith,
  followed,
  late,
  limitOf,
  limitWith,
  lost,
  outerOf,
  pluginOf,
  REQUEST,
  response,
} from '../../test/call-with-limits.ts';
import { judge } from '../../test/steps.ts';
import { throwing } from '../../test/throwing.ts';
import { HookError } from '../base/errors.ts';
import { detailsOf, type EbbEvent } from '../events/events.ts';
import type { FailureOutcome, Outcome } from '../http/outcome.ts';
import type { Way } from '../nested/outer-call.ts';
import { abortedBy, type Call } from './call.ts';
import { setHistory } from './history.ts';

/** An error with which a client of ebb has ended. */
function ended(error: Error): Error {
  setHistory(error, [{ attempt: 1, delayMs: 0, waitedMs: 0, reason: 'final' }]);
  return error;
}

/** An error that is its own cause. */
const ring = (): Error => {
  const error = new Error('own');
  return Object.assign(error, { cause: error });
};

describe('an outcome', () => {
  test('is told to the limits, noted, and followed by a retry', () => {
    const settle = vi.fn();
    const { call, events } = callWith({}, [limitWith({ settle })]);
    Object.assign(call, { delayMs: 3, waitedMs: 4 });
    const outcome = response(503);
    expect(judge(call, outcome)).toEqual({ retry: true, reason: 'transient', delayMs: 10, backoffMs: 10 });
    expect(settle.mock.calls).toEqual([[outcome]]);
    expect(call.history).toEqual([{ attempt: 1, delayMs: 3, waitedMs: 4, status: 503, reason: 'transient' }]);
    expect(call).toMatchObject({ toRetry: outcome, delayMs: 10, previousBackoffMs: 10, hasEnded: false });
    expect([call.answered, call.wasAtOnce]).toEqual([undefined, undefined]);
    expect(events).toMatchObject([
      { type: 'retry', delayMs: 10, reason: 'transient', outcome: { status: 503 } },
    ]);
  });

  test('of a first attempt that succeeds at once shares its history with all of the same status', () => {
    const histories = [200, 200, 201].map((status) => {
      const { call } = callWith();
      judge(call, response(status));
      return call.history;
    });
    expect(histories[0]).toEqual([{ attempt: 1, delayMs: 0, waitedMs: 0, status: 200, reason: 'success' }]);
    expect(histories[1]).toBe(histories[0]);
    expect(histories[2]).toMatchObject([{ status: 201 }]);
  });

  test.each<[what: string, seen: Outcome, told: object]>([
    ['a response is told to the limits as the response', response(200), { type: 'response', status: 200 }],
    ['a failure is told to the limits as an abort', lost, { type: 'failure', kind: 'aborted' }],
  ])('of an abort in the turn of %s, and is aborted', (_, seen, told) => {
    const settle = vi.fn();
    const { call } = callWith({}, [limitWith({ settle })]);
    const reason = new Error('enough');
    expect(judge(call, abortedBy(reason, seen))).toEqual({ retry: false, reason: 'aborted' });
    expect(settle.mock.calls).toMatchObject([[told]]);
    expect(call.history).toMatchObject([{ failure: 'aborted', reason: 'aborted' }]);
  });

  test('before another attempt nothing is held that the one before had', () => {
    const release = vi.fn();
    const { call } = callWith({}, [limitWith({ release })]);
    judge(call, response(503));
    Object.assign(call, { bucket: {}, grant: {}, headerChanges: {} });
    const once = Promise.resolve();
    call.released(once);
    expect([call.bucket, call.grant, call.headerChanges]).toEqual([undefined, undefined, undefined]);
    expect(release.mock.calls).toEqual([[once]]);
  });

  test('that is final ends the call once', () => {
    const [ended, release] = [vi.fn(), vi.fn()];
    const { call, events } = callWith({}, [pluginOf({ ended }), limitWith({ release })]);
    const step = call.ended(response(404));
    expect(step).toEqual({ do: 'end', reason: 'final' });
    expect([call.ended(response(200)), call.judgedWithin(lost), call.next()]).toEqual([step, step, step]);
    expect([ended.mock.calls, release.mock.calls, call.history.length]).toEqual([[[call, 'final']], [], 1]);
    expect(events).toMatchObject([{ type: 'end', reason: 'final', outcome: { status: 404 } }]);
    expect(Object.hasOwn(events[0] ?? {}, 'error')).toBe(false);
  });

  test('that a part has explained ends the call with its words', () => {
    const cause = new Error('why');
    const { call, events } = callWith();
    judge(call, response(200, { verdict: 'final', cause }));
    expect(events).toMatchObject([{ type: 'end', reason: 'final', error: { name: 'Error' } }]);
  });

  test('at the total timeout gives way to the answer before it, also if an attempt has failed since', () => {
    const { call, clock, events } = callWith({ totalTimeoutMs: 100 });
    const first = response(503);
    judge(call, first);
    call.attempt = 2;
    judge(call, lost);
    expect(call.answered).toBe(first);
    call.attempt = 3;
    call.deadline?.bound();
    clock.tick(100);
    expect(call.ended(late)).toEqual({ do: 'end', reason: 'deadline-exceeded', before: 'answer' });
    expect(events.at(-1)).toMatchObject({ type: 'end', outcome: { status: 503 }, error: { name: 'Error' } });
  });

  test('of a request whose body is lost is not sent again, whatever a plugin says', () => {
    const { call } = callWith({}, [], undefined, { ...REQUEST, replayable: false });
    expect(judge(call, response(401, { retryNow: true }))).toEqual({ retry: false, reason: 'final' });
  });

  test('without a response is sent again at the word of a plugin, which names the reason', () => {
    const told: FailureOutcome = { ...lost, connection: 'reused', advice: { retryNow: 'stale-connection' } };
    const post = { ...REQUEST, method: 'POST' };
    const { call, events } = callWith({}, [pluginOf({ failed: () => told })], undefined, post);
    expect(judge(call, lost)).toEqual({ retry: true, reason: 'stale-connection', delayMs: 0 });
    expect(call.history).toMatchObject([{ attempt: 1, failure: 'network', reason: 'stale-connection' }]);
    expect(events).toMatchObject([{ type: 'retry', delayMs: 0, reason: 'stale-connection' }]);
    expect(detailsOf(events[0] as EbbEvent)?.outcome).toBe(told);
    expect(call.toRetry).toBe(told);
    call.attempt = 2;
    expect(judge(call, lost)).toEqual({ retry: false, reason: 'not-idempotent' });
  });

  test('without a response goes from plugin to plugin', () => {
    const heard: unknown[] = [];
    const known: FailureOutcome = { ...lost, connection: 'new' };
    const plugins = [known, undefined, undefined].map((result) =>
      pluginOf({
        failed(...given) {
          heard.push(...given);
          return result;
        },
      }),
    );
    const { call } = callWith({}, plugins);
    expect(judge(call, lost)).toMatchObject({ retry: true, reason: 'transient', backoffMs: 10 });
    expect(heard).toEqual([lost, call, known, call, known, call]);
    expect(call.toRetry).toBe(known);
  });

  test('is no failure if there is a response, or if the call around it decides', () => {
    const failed = vi.fn();
    judge(callWith({}, [pluginOf({ failed })]).call, response(503));
    judge(callWith({}, [pluginOf({ failed })], outerOf(REQUEST)).call, lost);
    expect(failed).not.toHaveBeenCalled();
  });

  test('ends the call if a plugin fails with it', () => {
    const error = new Error('boom');
    const failed = throwing(error);
    expect(() => judge(callWith({}, [pluginOf({ failed })]).call, lost)).toThrow(error);
  });

  test('of a call that its limit has ended is judged no more', () => {
    const { call, told } = callWith({}, [limitWith({ settle: () => void call.close('aborted') })]);
    expect(judge(call, response(503))).toEqual({ retry: false, reason: 'aborted' });
    expect([told(), call.history]).toEqual([[], []]);
  });

  test('of a call whose observer has ended it is followed by nothing', () => {
    const { call, told } = callWith(
      { onEvent: ({ type }) => type === 'nested-retries' && call.close('aborted') },
      [],
      undefined,
      {
        ...REQUEST,
        header: (name: string) => (name === 'x-stainless-retry-count' ? '1' : undefined),
      } as never,
    );
    expect(judge(call, response(503))).toEqual({ retry: false, reason: 'aborted' });
    expect(told()).toEqual([]);
  });

  test.each([
    [1, ['nested-retries', 'retry']],
    [2, ['retry']],
  ])('another library that retries is reported with attempt %i or not', (attempt, types) => {
    const header = (name: string) => (name === 'grpc-previous-rpc-attempts' ? '1' : undefined);
    const { call, told, events } = callWith({}, [], undefined, { ...REQUEST, header } as never);
    call.attempt = attempt;
    judge(call, response(503));
    expect(told()).toEqual(types);
    if (attempt === 1) expect(events[0]).toMatchObject({ library: 'a gRPC client' });
  });

  test('a hook that fails ends the call, and frees what it holds', () => {
    const release = vi.fn();
    const { call, events } = callWith({ classify: throwing() }, [limitWith({ release })]);
    expect(() => judge(call, response(503))).toThrow(HookError);
    expect([release.mock.calls.length, call.hasEnded]).toEqual([1, true]);
    expect(events).toMatchObject([
      { type: 'end', reason: 'final', error: { hook: 'classify' }, outcome: { status: 503 } },
    ]);
  });
});

describe('nested calls', () => {
  test('an inner call leaves its outcome to the outer one', () => {
    const outer = outerOf(REQUEST);
    const { call } = callWith({}, [], outer);
    expect(judge(call, response(503))).toEqual({ retry: false, reason: 'outer-client-retries' });
    expect(outer.isOpen).toBe(true);
  });

  test.each([
    ['a call makes a key for its request', false, 'string'],
    ['an inner call makes no key: each of them would be another one', true, 'undefined'],
  ])('%s', (_, isInner, type) => {
    const post = { ...REQUEST, method: 'POST' };
    const { call } = callWith({ idempotencyKey: true }, [], isInner ? outerOf(post) : undefined, post);
    expect(typeof call.headerChanges?.['idempotency-key']).toBe(type);
  });

  test.each<[what: string, attempt: number, end: (call: Call) => void, hasFailed: boolean | undefined]>([
    ['one attempt that failed', 1, (call) => judge(call, response(404)), undefined],
    ['a repeated request that failed', 2, (call) => judge(call, response(404)), true],
    ['a repeated request that succeeded', 2, (call) => judge(call, response(200)), undefined],
    ['one that a request within has failed', 1, (call) => call.judgedWithin(lost), true],
  ])('user code that has made %s', (_, attempt, end, hasFailed) => {
    const maker = outerOf();
    const { call } = callWith({}, [], maker, REQUEST, 'function');
    call.attempt = attempt;
    end(call);
    expect([maker.hasFailed, maker.isOpen, call.isOpen]).toEqual([hasFailed, true, false]);
  });
});

test('a retry that a client below has judged stays paid, also if it has failed with a response', async () => {
  const told: string[] = [];
  const planned = { cancel: () => void told.push('cancel'), settle: () => void told.push('settle') };
  const { call } = callWith({ backoff: () => 0 }, [limitOf({ planRetry: () => planned })]);
  call.ended(lost);
  call.released();
  expect(await followed(call, call.next())).toEqual({ do: 'send' });
  expect(call.judgedWithin(response(503))).toMatchObject({ do: 'end', reason: 'inner-client-retried' });
  expect(told).toEqual(['settle']);
});

test.each<[way: Way, error: unknown, isOver: boolean]>([
  ['function', new Error('own'), true],
  ['client', new Error('own'), false],
  ['dispatcher', 'own', false],
  ['client', ended(new Error('inner')), true],
  ['dispatcher', new Error('own', { cause: new Error('own', { cause: ended(new Error('inner')) }) }), true],
  ['client', ring(), false],
])('over a %s, after a request within that failed, with %o: nothing repeats it: %s', (way, error, isOver) => {
  const { call } = callWith({}, [], undefined, REQUEST, way);
  expect(call.hasFailedWith(error)).toBe(false);
  call.hasFailed = true;
  expect(call.hasFailedWith(error)).toBe(isOver);
});
