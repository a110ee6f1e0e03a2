import { describe, expect, test, vi } from 'vitest';
import { callWith, late, lost, REQUEST, response } from '../../test/call-with-part.ts';
import { HookError } from '../base/errors.ts';
import type { LayeredCall } from '../layers/layer.ts';
import type { Call } from './call.ts';
import { close, fail, judge, pass } from './judge.ts';

describe('an outcome', () => {
  test('is left to the parts, noted, and followed by a retry', () => {
    const leave = vi.fn();
    const { call, events } = callWith({}, { leave });
    Object.assign(call, { delayMs: 3, waitedMs: 4 });
    const outcome = response(503);
    expect(judge(call, outcome)).toEqual({ retry: true, reason: 'transient', delayMs: 10, backoffMs: 10 });
    expect(leave).toHaveBeenCalledWith(outcome);
    expect(call.history).toEqual([{ attempt: 1, delayMs: 3, waitedMs: 4, status: 503, reason: 'transient' }]);
    expect(call).toMatchObject({ toRetry: outcome, delayMs: 10, previousBackoffMs: 10, hasEnded: false });
    expect([call.answered, call.skipped]).toEqual([undefined, undefined]);
    expect(events).toMatchObject([
      { type: 'retry', delayMs: 10, reason: 'transient', outcome: { status: 503 } },
    ]);
  });

  test('that is final ends the call once', () => {
    const [end, free] = [vi.fn(), vi.fn()];
    const { call, events } = callWith({}, { end, free });
    expect(judge(call, response(404))).toEqual({ retry: false, reason: 'final' });
    expect(judge(call, response(200))).toEqual({ retry: false, reason: 'aborted' });
    expect([end.mock.calls, free.mock.calls, call.history.length]).toEqual([[['final']], [], 1]);
    expect(events).toMatchObject([{ type: 'end', reason: 'final', outcome: { status: 404 } }]);
    expect(Object.hasOwn(events[0] ?? {}, 'error')).toBe(false);
  });

  test('that failed for good holds nothing any more', () => {
    const free = vi.fn();
    const { call } = callWith({ maxRetries: 0 }, { free });
    judge(call, lost);
    expect(free).toHaveBeenCalledTimes(1);
  });

  test('that a part has explained ends the call with its words', () => {
    const cause = new Error('why');
    const { call, events } = callWith();
    judge(call, response(200, { verdict: 'final', cause }));
    expect(events).toMatchObject([{ type: 'end', reason: 'final', error: { name: 'Error' } }]);
  });

  test('is the last before the total timeout, as far as the call can fall back on it', () => {
    const { call, clock, events } = callWith({ totalTimeoutMs: 100 });
    const first = response(503);
    judge(call, first);
    expect(call.answered).toBe(first);
    call.attempt = 2;
    call.deadline?.bound();
    clock.tick(100);
    expect(judge(call, late, true)).toEqual({ retry: false, reason: 'deadline-exceeded' });
    expect(call.fallsBack).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'end', outcome: { status: 503 }, error: { name: 'Error' } });
  });

  test('at the total timeout without an answer before it is the end itself', () => {
    const { call, clock, events } = callWith({ totalTimeoutMs: 100 });
    judge(call, lost);
    expect(call.answered).toBeUndefined();
    call.attempt = 2;
    call.deadline?.bound();
    clock.tick(100);
    judge(call, late);
    expect(call.fallsBack).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: 'end', outcome: { kind: 'timeout' } });
  });

  test('at the word of a part is sent again, which is no retry', () => {
    const { call } = callWith();
    expect(judge(call, response(401, { again: true }))).toMatchObject({ retry: true, reason: 'refused' });
    expect([call.skipped, call.previousBackoffMs]).toEqual([-1, undefined]);
    call.attempt = 2;
    judge(call, response(401, { again: true }));
    expect(call.skipped).toBe(-2);
  });

  test('of a call that its part has aborted is judged no more', () => {
    const { call, told } = callWith({}, { leave: () => void close(call, 'aborted') });
    expect(judge(call, response(503))).toEqual({ retry: false, reason: 'aborted' });
    expect([told(), call.history]).toEqual([[], []]);
  });

  test('of a call whose observer has ended it is followed by nothing', () => {
    const { call, told } = callWith(
      { onEvent: ({ type }) => type === 'other-retries' && close(call, 'aborted') },
      {},
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
    [1, ['other-retries', 'retry']],
    [2, ['retry']],
  ])('another library that retries is reported with attempt %i or not', (attempt, types) => {
    const header = (name: string) => (name === 'grpc-previous-rpc-attempts' ? '1' : undefined);
    const { call, told, events } = callWith({}, {}, undefined, { ...REQUEST, header } as never);
    call.attempt = attempt;
    judge(call, response(503));
    expect(told()).toEqual(types);
    if (attempt === 1) expect(events[0]).toMatchObject({ library: 'a gRPC client' });
  });

  test('a hook that fails ends the call, and frees what it holds', () => {
    const free = vi.fn();
    const { call, events } = callWith(
      {
        classify: () => {
          throw new Error('boom');
        },
      },
      { free },
    );
    expect(() => judge(call, response(503))).toThrow(HookError);
    expect([free.mock.calls.length, call.hasEnded]).toEqual([1, true]);
    expect(events).toMatchObject([
      { type: 'end', reason: 'final', error: { hook: 'classify' }, outcome: { status: 503 } },
    ]);
  });

  test.each<[isOurs: boolean, isKept: boolean, reason: string]>([
    [true, true, 'transient'],
    [false, true, 'not-idempotent'],
    [true, false, 'not-idempotent'],
  ])('a POST with a key: ours %s, kept %s', (isOurs, isKept, reason) => {
    const { call } = callWith({}, {}, undefined, { ...REQUEST, method: 'POST' });
    call.key = { value: 'k', isOurs, isKept } as never;
    expect(judge(call, response(503)).reason).toBe(reason);
  });

  test('a key that was not sent does not make the request of the caller repeatable', () => {
    const request = {
      ...REQUEST,
      method: 'POST',
      header: (name: string) => (name === 'idempotency-key' ? 'k' : undefined),
    };
    const lostKey = callWith({}, {}, undefined, request as never);
    lostKey.call.key = { value: 'k', isOurs: false, isKept: false } as never;
    expect(judge(lostKey.call, response(503)).reason).toBe('not-idempotent');
    const kept = callWith({}, {}, undefined, request as never);
    expect(judge(kept.call, response(503)).reason).toBe('transient');
  });
});

describe('layers', () => {
  const outer = { call: { open: true, slotsOf: [] } as unknown as LayeredCall, tookFrom: [] };

  test('an inner layer leaves its outcome to the outer one', () => {
    const { call } = callWith({}, {}, { outer, slotsOf: [] });
    expect(judge(call, response(503))).toEqual({ retry: false, reason: 'left-to-outer-layer' });
    expect(outer.call.open).toBe(true);
  });

  test.each<[what: string, attempt: number, end: (call: Call) => void, hasFailed: boolean | undefined]>([
    ['one attempt that failed', 1, (call) => judge(call, response(404)), undefined],
    ['a repeated request that failed', 2, (call) => judge(call, response(404)), true],
    ['a repeated request that succeeded', 2, (call) => judge(call, response(200)), undefined],
    ['one that a layer below has repeated', 1, (call) => pass(call, response(503)), true],
  ])('user code that has made %s', (_, attempt, end, hasFailed) => {
    const maker = { request: undefined, open: true, dispatched: false, slotsOf: [] } as LayeredCall;
    const { call } = callWith({}, {}, { outer: undefined, slotsOf: [], maker });
    call.attempt = attempt;
    call.place?.enter(undefined, undefined);
    end(call);
    expect(maker.hasFailed).toBe(hasFailed);
    // The outermost layer has closed its call.
    expect(call.place?.passage?.call.open).toBe(false);
  });

  test('what a layer below has judged ends the call', () => {
    const { call, events } = callWith();
    pass(call, response(503));
    expect(events).toMatchObject([
      { type: 'end', reason: 'judged-by-inner-layer', outcome: { status: 503 } },
    ]);
  });
});

test('a call ends once', () => {
  const end = vi.fn();
  const { call, told } = callWith({}, { end });
  fail(call, lost, new Error('boom'));
  fail(call, lost, new Error('again'));
  expect([close(call, 'aborted'), told(), end.mock.calls]).toEqual([false, ['end'], [['final']]]);
});
