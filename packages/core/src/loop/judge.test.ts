import { describe, expect, test, vi } from 'vitest';
import { constant } from '../backoff/curves.ts';
import { HookError, NotSentError } from '../base/errors.ts';
import type { Outcome, Responded } from '../http/outcome.ts';
import type { LayeredCall, LayersFound } from '../layers/layer.ts';
import type { EbbEvent } from '../news/events.ts';
import { virtualClock } from '../testing.ts';
import { Call } from './call.ts';
import { OutOfTime } from './deadline.ts';
import { close, endUnsent, fail, judge, look, pass, reads, SKIP, SKIP_AND_END, type Skip } from './judge.ts';
import type { PolicyOptions } from './options.ts';
import type { Part, PartInstance } from './part.ts';
import { PartsOfCall } from './parts-of-call.ts';
import { createPolicy } from './policy.ts';

const REQUEST = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };
const response = (status: number, judgement?: object): Outcome =>
  ({ type: 'response', status, header: () => undefined, judgement }) as Outcome;
const lost: Outcome = { type: 'failure', kind: 'network', error: new Error('lost') };
const late: Outcome = { type: 'failure', kind: 'timeout', error: new Error('late') };

function setUp(
  options: PolicyOptions = {},
  instance: PartInstance = {},
  around?: LayersFound,
  request = REQUEST,
) {
  const clock = virtualClock({ startMs: 0 });
  const events: EbbEvent[] = [];
  const part: Part = { name: 'own', place: 'reading', begin: () => instance };
  const policy = createPolicy({
    clock,
    random: () => 0,
    backoff: constant(10),
    use: [part],
    onEvent: (event) => events.push(event),
    ...options,
  });
  const call = new Call(policy, request, around);
  call.parts = new PartsOfCall(call);
  call.parts.begin([part]);
  call.attempt = 1;
  return { clock, events, call, told: () => events.map(({ type }) => type) };
}

describe('an outcome', () => {
  test('is left to the parts, noted, and followed by a retry', () => {
    const leave = vi.fn();
    const { call, events } = setUp({}, { leave });
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
    const { call, events } = setUp({}, { end, free });
    expect(judge(call, response(404))).toEqual({ retry: false, reason: 'final' });
    expect(judge(call, response(200))).toEqual({ retry: false, reason: 'aborted' });
    expect([end.mock.calls, free.mock.calls, call.history.length]).toEqual([[['final']], [], 1]);
    expect(events).toMatchObject([{ type: 'end', reason: 'final', outcome: { status: 404 } }]);
    expect(Object.hasOwn(events[0] ?? {}, 'error')).toBe(false);
  });

  test('that failed for good holds nothing any more', () => {
    const free = vi.fn();
    const { call } = setUp({ maxRetries: 0 }, { free });
    judge(call, lost);
    expect(free).toHaveBeenCalledTimes(1);
  });

  test('that a part has explained ends the call with its words', () => {
    const cause = new Error('why');
    const { call, events } = setUp();
    judge(call, response(200, { verdict: 'final', cause }));
    expect(events).toMatchObject([{ type: 'end', reason: 'final', error: { name: 'Error' } }]);
  });

  test('is the last before the total timeout, as far as the call can fall back on it', () => {
    const { call, clock, events } = setUp({ totalTimeoutMs: 100 });
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
    const { call, clock, events } = setUp({ totalTimeoutMs: 100 });
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
    const { call } = setUp();
    expect(judge(call, response(401, { again: true }))).toMatchObject({ retry: true, reason: 'refused' });
    expect([call.skipped, call.previousBackoffMs]).toEqual([-1, undefined]);
    call.attempt = 2;
    judge(call, response(401, { again: true }));
    expect(call.skipped).toBe(-2);
  });

  test('of a call that its part has aborted is judged no more', () => {
    const { call, told } = setUp({}, { leave: () => void close(call, 'aborted') });
    expect(judge(call, response(503))).toEqual({ retry: false, reason: 'aborted' });
    expect([told(), call.history]).toEqual([[], []]);
  });

  test('of a call whose observer has ended it is followed by nothing', () => {
    const { call, told } = setUp(
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
    const { call, told, events } = setUp({}, {}, undefined, { ...REQUEST, header } as never);
    call.attempt = attempt;
    judge(call, response(503));
    expect(told()).toEqual(types);
    if (attempt === 1) expect(events[0]).toMatchObject({ library: 'a gRPC client' });
  });

  test('a hook that fails ends the call, and frees what it holds', () => {
    const free = vi.fn();
    const { call, events } = setUp(
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
    const { call } = setUp({}, {}, undefined, { ...REQUEST, method: 'POST' });
    call.key = { value: 'k', isOurs, isKept } as never;
    expect(judge(call, response(503)).reason).toBe(reason);
  });

  test('a key that was not sent does not make the request of the caller repeatable', () => {
    const request = {
      ...REQUEST,
      method: 'POST',
      header: (name: string) => (name === 'idempotency-key' ? 'k' : undefined),
    };
    const lostKey = setUp({}, {}, undefined, request as never);
    lostKey.call.key = { value: 'k', isOurs: false, isKept: false } as never;
    expect(judge(lostKey.call, response(503)).reason).toBe('not-idempotent');
    const kept = setUp({}, {}, undefined, request as never);
    expect(judge(kept.call, response(503)).reason).toBe('transient');
  });
});

describe('layers', () => {
  const outer = { call: { open: true, slotsOf: [] } as unknown as LayeredCall, tookFrom: [] };

  test('an inner layer leaves its outcome to the outer one', () => {
    const { call } = setUp({}, {}, { outer, slotsOf: [] });
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
    const { call } = setUp({}, {}, { outer: undefined, slotsOf: [], maker });
    call.attempt = attempt;
    call.place?.enter(undefined, undefined);
    end(call);
    expect(maker.hasFailed).toBe(hasFailed);
    // The outermost layer has closed its call.
    expect(call.place?.passage?.call.open).toBe(false);
  });

  test('what a layer below has judged ends the call', () => {
    const { call, events } = setUp();
    pass(call, response(503));
    expect(events).toMatchObject([
      { type: 'end', reason: 'judged-by-inner-layer', outcome: { status: 503 } },
    ]);
  });
});

test('a call ends once', () => {
  const end = vi.fn();
  const { call, told } = setUp({}, { end });
  fail(call, lost, new Error('boom'));
  fail(call, lost, new Error('again'));
  expect([close(call, 'aborted'), told(), end.mock.calls]).toEqual([false, ['end'], [['final']]]);
});

describe('responses that parts read', () => {
  test.each<[what: string, instance: PartInstance, outcome: Outcome, isRead: boolean]>([
    ['a response', { judge: () => undefined }, response(200), true],
    ['without such a part', {}, response(200), false],
    ['a failure', { judge: () => undefined }, lost, false],
    ['what a function has returned', { judge: () => undefined }, response(0), false],
  ])('%s', (_, instance, outcome, isRead) => {
    expect(reads(setUp({}, instance).call, outcome)).toBe(isRead);
  });

  const open = (): never => {
    throw new Error('not asked for');
  };
  const given = response(503) as Responded;

  test('a call without parts has nothing to read with', async () => {
    const { call } = setUp();
    call.parts = undefined;
    expect(await look(call, given, open, undefined)).toBe(given);
  });

  test('each part sees what the one before has said, and may say nothing', async () => {
    const seen: unknown[] = [];
    const say = (advice: object | undefined, isAsync: boolean): PartInstance => ({
      judge: (_, said) => {
        seen.push(said);
        return (isAsync ? Promise.resolve(advice) : advice) as never;
      },
    });
    const { call } = setUp();
    const { parts } = call;
    if (parts)
      parts.all = [
        say(undefined, false),
        {},
        say({ waitMs: 5 }, false),
        say(undefined, true),
        say({ waitMs: 6 }, true),
      ];
    const outcome = (await look(call, given, open, undefined)) as Responded;
    expect(outcome.judgement).toEqual({ waitMs: 6 });
    expect(seen).toEqual([undefined, undefined, { waitMs: 5 }, { waitMs: 5 }]);
    if (parts) parts.all = [say(undefined, true)];
    expect(await look(call, given, open, undefined)).toBe(given);
  });

  test('without a timeout a part that reads has the signal of the caller itself', async () => {
    const judged = vi.fn((_: unknown, __: unknown, ___: object) => undefined);
    const { call } = setUp({}, { judge: judged as never });
    const { signal } = new AbortController();
    await look(call, given, open, signal);
    expect(judged.mock.calls[0]?.[2]).toEqual({ attempt: 1, open, signal });
    await look(call, given, open, undefined);
    expect(judged.mock.calls[1]?.[2]).toEqual({ attempt: 1, open, signal: undefined });
  });

  test.each<[what: string, options: PolicyOptions, binds: boolean, timeoutMs: number]>([
    ['its own timeout', { attemptTimeoutMs: 50 }, false, 50],
    ['the total timeout', { totalTimeoutMs: 60 }, true, 60],
  ])('a part that never settles ends with %s', async (_, options, isTotal, timeoutMs) => {
    const told: (AbortSignal | undefined)[] = [];
    const judge: PartInstance['judge'] = (_outcome, _said, { signal }) => {
      told.push(signal);
      return new Promise(() => undefined);
    };
    const { call, clock } = setUp(options, { judge });
    clock.tick(10);
    call.deadline?.bound();
    call.endsAtMs = timeoutMs;
    const ended = look(call, given, open, new AbortController().signal).catch((error: unknown) => error);
    expect(told[0]?.aborted).toBe(false);
    await clock.advance(timeoutMs - 11);
    expect(told[0]?.aborted).toBe(false);
    await clock.advance(1);
    const error = await ended;
    expect(error).toBeInstanceOf(OutOfTime);
    expect(error).toMatchObject({ timeoutMs, isTotal });
    expect(told[0]?.reason).toBe(error);
  });

  test('a part that reads in time is not ended', async () => {
    const { call } = setUp({ attemptTimeoutMs: 50 }, { judge: async () => ({ waitMs: 1 }) });
    call.endsAtMs = 50;
    expect(((await look(call, given, open, undefined)) as Responded).judgement).toEqual({ waitMs: 1 });
  });

  test('an abort of the caller reaches a part that reads under a timeout', async () => {
    const abort = new AbortController();
    const signals: AbortSignal[] = [];
    const { call } = setUp(
      { attemptTimeoutMs: 50 },
      {
        judge: (_outcome, _said, { signal }) => {
          if (signal) signals.push(signal);
          return undefined;
        },
      },
    );
    call.endsAtMs = 50;
    await look(call, given, open, abort.signal);
    abort.abort('left');
    expect(signals[0]?.reason).toBe('left');
  });

  test('a part that fails without a timeout fails the look', async () => {
    const { call } = setUp({}, { judge: async () => Promise.reject(new Error('boom')) });
    await expect(look(call, given, open, undefined)).rejects.toThrow('boom');
  });
});

describe('the end in front of an attempt', () => {
  const refused = (reason?: string): NotSentError =>
    new NotSentError('no', undefined, { reason: reason as never });
  const aborted = AbortSignal.abort(new Error('left'));
  const stoppedBy = refused('stopped');

  test.each<
    [
      what: string,
      isRetry: boolean,
      error: unknown,
      signal: AbortSignal | undefined,
      reason: string,
      isThrown: boolean,
    ]
  >([
    ['a limit refuses the first attempt', false, refused(), undefined, 'limited', true],
    ['a limit refuses a retry', true, refused(), undefined, 'limited', false],
    ['the throttle refuses', true, refused('overload'), undefined, 'overload', false],
    ['the policy stops', true, stoppedBy, AbortSignal.abort(stoppedBy), 'stopped', false],
    ['the caller aborts', true, aborted.reason, aborted, 'aborted', true],
    ['a hook fails', true, new HookError('cost', new Error('x')), undefined, 'final', true],
    ['its time has passed', true, new OutOfTime(5, true), undefined, 'deadline-exceeded', false],
    [
      'its time has passed before the first attempt',
      false,
      new OutOfTime(5, true),
      undefined,
      'deadline-exceeded',
      true,
    ],
    ['the wait was too long', true, refused('wait-too-long'), undefined, 'limited', false],
  ])('%s', async (_, isRetry, error, signal, reason, isThrown) => {
    const [leave, end] = [vi.fn(), vi.fn()];
    const { call, events } = setUp({}, { leave, end });
    if (isRetry) judge(call, response(503));
    leave.mockClear();
    const settled = await endUnsent(call, error, signal).catch((thrown: unknown) => ({ thrown }));
    expect(settled).toEqual(isThrown ? { thrown: error } : false);
    expect([leave.mock.calls, end.mock.calls]).toEqual([[[undefined]], [[reason]]]);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason });
    expect(call.history.map((one) => one.reason)).toEqual(isRetry ? [isThrown ? 'transient' : reason] : []);
  });

  test.each([
    [true, true, 'deadline-exceeded'],
    [true, false, 'limited'],
    [false, true, 'limited'],
  ])(
    'a wait that was too long, of a retry %s, bound by the total timeout %s: %s',
    async (isRetry, bindsWait, reason) => {
      const { call, events } = setUp({ totalTimeoutMs: 1_000 });
      if (isRetry) judge(call, response(503));
      Object.assign(call.deadline ?? {}, { bindsWait });
      await endUnsent(call, refused('wait-too-long'), undefined).catch(() => undefined);
      expect(events.at(-1)).toMatchObject({ type: 'end', reason });
    },
  );

  test('a refusal tells whose it was, and other errors do not', async () => {
    const { call } = setUp();
    call.fairness = { fairKey: 'tenant' };
    const [refusal, other] = [refused(), new HookError('cost', new Error('x'))];
    await endUnsent(call, refusal, undefined).catch(() => undefined);
    await endUnsent(call, other, undefined).catch(() => undefined);
    expect([Object(refusal).fairKey, Object(other).fairKey]).toEqual(['tenant', undefined]);
  });

  test('a call without parts ends as well', async () => {
    const { call } = setUp();
    call.parts = undefined;
    await expect(endUnsent(call, refused(), undefined)).rejects.toThrow('no');
  });
});

describe('a chance that is skipped', () => {
  const skip = (call: Call, blocker: unknown = SKIP): void => (blocker as Skip).skip(call);

  test('counts as a retry, and the next one comes after the backoff', () => {
    const skipped = vi.fn();
    const { call, events } = setUp({}, { skip: skipped });
    call.attempt = 0;
    call.waitedMs = 4;
    skip(call);
    expect(call).toMatchObject({ skipped: 1, delayMs: 10, previousBackoffMs: 10 });
    skip(call);
    expect(call.skipped).toBe(2);
    expect(skipped).toHaveBeenCalledTimes(2);
    expect(call.history).toEqual([
      { attempt: 1, delayMs: 0, waitedMs: 4, reason: 'skipped' },
      { attempt: 1, delayMs: 10, waitedMs: 4, reason: 'skipped' },
    ]);
    expect(events).toMatchObject([
      { type: 'skip', delayMs: 10 },
      { type: 'skip', delayMs: 10 },
    ]);
  });

  test.each<
    [what: string, options: PolicyOptions, attempt: number, instance: PartInstance, hasNext: boolean]
  >([
    ['one retry allowed', { maxRetries: 1 }, 0, {}, true],
    ['no retry allowed', { maxRetries: 0 }, 0, {}, false],
    ['all retries used', { maxRetries: 1 }, 1, {}, false],
    ['a backoff that ends', { backoff: () => undefined }, 0, {}, false],
    ['a total timeout that is as long', { totalTimeoutMs: 10 }, 0, {}, true],
    ['a shorter total timeout', { totalTimeoutMs: 9 }, 0, {}, false],
    ['a first attempt, which needs no permission', {}, 0, { permit: () => 'budget-exhausted' }, true],
    ['a retry that a part denies', {}, 1, { permit: () => 'budget-exhausted' }, false],
    ['a retry that a part allows', {}, 1, { permit: () => undefined }, true],
  ])('%s', (_, options, attempt, instance, hasNext) => {
    const { call, events } = setUp(options, instance);
    call.attempt = attempt;
    if (hasNext) {
      expect(() => skip(call)).not.toThrow();
      expect(call.delayMs).toBe(10);
    } else {
      expect(() => skip(call)).toThrow(NotSentError);
      expect(call.history.at(-1)?.reason).toBe('overload');
      expect(events.at(-1)).toMatchObject({ type: 'skip', delayMs: undefined });
    }
  });

  test('permission is asked for a retry with its delay', () => {
    const permit = vi.fn(() => undefined);
    const { call } = setUp({}, { permit });
    skip(call);
    expect(permit.mock.calls).toEqual([[{ reason: 'refused', delayMs: 10 }]]);
  });

  test('with the blocker that ends it there is no other chance', () => {
    const { call } = setUp();
    call.attempt = 0;
    expect(() => skip(call, SKIP_AND_END)).toThrow('Not sent: too little succeeds');
    expect(call.history).toMatchObject([{ attempt: 1, reason: 'overload' }]);
  });
});
