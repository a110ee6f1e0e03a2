import { describe, expect, test, vi } from 'vitest';
import { HookError } from '../base/errors.ts';
import type { LayeredCall } from '../layers/layer.ts';
import { virtualClock } from '../testing.ts';
import { Call } from './call.ts';
import { type ClientAdapter, errorOf, lateBy, layerOf, resultOf, sending, timeoutOf } from './client.ts';
import { OutOfTime } from './deadline.ts';
import { attemptsOf, setHistory, successOf } from './history.ts';
import type { PolicyOptions } from './options.ts';
import type { Part, PartInstance } from './part.ts';
import { PartsOfCall } from './parts-of-call.ts';
import { createPolicy } from './policy.ts';

const REQUEST = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };

function setUp(options: PolicyOptions = {}, instance?: PartInstance) {
  const clock = virtualClock({ startMs: 0 });
  const part = { name: 'own', place: 'watching', begin: () => instance } as Part;
  const call = new Call(createPolicy({ clock, ...options }), REQUEST, { outer: undefined, slotsOf: [] });
  call.attempt = 1;
  if (instance) {
    call.parts = new PartsOfCall(call);
    call.parts.begin([part]);
  }
  return { clock, call };
}

const clientThat = (verbs: Partial<ClientAdapter<unknown>> = {}): ClientAdapter<unknown> =>
  verbs as ClientAdapter<unknown>;

describe('sending', () => {
  test('is what the client does, if nothing stands around it', () => {
    expect(sending(setUp().call, () => 'sent')).toBe('sent');
  });

  test('goes through wrapAttempt, the parts, and what lower layers find, in this order', () => {
    const { call } = setUp(
      {
        wrapAttempt: ((send: () => unknown, current: object) => [
          `policy ${JSON.stringify(current)}`,
          send(),
        ]) as never,
      },
      { wrap: (send) => ['part', send()] as never },
    );
    call.place?.enter(undefined, undefined);
    expect(sending(call, () => 'sent')).toEqual([
      `policy {"attempt":1,"request":${JSON.stringify(REQUEST)}}`,
      ['part', 'sent'],
    ]);
    call.place?.close();
  });

  test('a wrapAttempt that fails before it sends gives back what was taken', () => {
    const leave = vi.fn();
    const wrapAttempt = (): never => {
      throw new Error('boom');
    };
    const { call } = setUp({ wrapAttempt }, { leave });
    expect(() => sending(call, () => 'sent')).toThrow(HookError);
    expect(leave.mock.calls).toEqual([[undefined]]);
    expect(() => sending(setUp({ wrapAttempt }).call, () => 'sent')).toThrow('wrapAttempt failed: boom');
  });

  test('what fails as it is sent is the error of the client', () => {
    const leave = vi.fn();
    const { call } = setUp({ wrapAttempt: (send) => send() }, { leave });
    const fails = (): never => {
      throw new TypeError('of the client');
    };
    expect(() => sending(call, fails)).toThrow(TypeError);
    expect(leave).not.toHaveBeenCalled();
  });
});

describe('the time of an attempt', () => {
  test.each<
    [
      options: PolicyOptions,
      hookMs: number | undefined,
      passedMs: number,
      timeoutMs: number | undefined,
      binds?: boolean,
    ]
  >([
    [{}, undefined, 0, undefined],
    [{ attemptTimeoutMs: 50 }, undefined, 0, 50],
    [{ attemptTimeoutMs: 50 }, 20, 0, 30],
    [{ attemptTimeoutMs: 50 }, 60, 0, 0],
    [{ totalTimeoutMs: 100 }, undefined, 30, 70, true],
    [{ totalTimeoutMs: 100, attemptTimeoutMs: 50 }, 10, 30, 40, false],
    [{ totalTimeoutMs: 100, attemptTimeoutMs: 50 }, undefined, 60, 40, true],
  ])('%j, of which hooks took %s ms, after %i ms: %s', (options, hookMs, passedMs, timeoutMs, binds) => {
    for (const instance of [undefined, {}, { judge: () => undefined }]) {
      const { call, clock } = setUp(options, instance);
      if (hookMs !== undefined) call.hookMs = hookMs;
      clock.tick(passedMs);
      expect(timeoutOf(call)).toBe(timeoutMs);
      expect(call.deadline?.bindsAttempt).toBe(binds);
      // Only a part that reads responses has to know when it must have ended.
      const reads = instance !== undefined && 'judge' in instance && timeoutMs !== undefined;
      expect(call.endsAtMs).toBe(reads ? passedMs + timeoutMs : undefined);
    }
  });
});

test('layers below find what a call shows them', () => {
  const { call } = setUp();
  expect(layerOf(call)).toBeUndefined();
  call.place?.enter(undefined, undefined);
  expect(layerOf(call)?.call).toMatchObject({ open: true });
  call.place?.close();
  call.place = undefined;
  expect(layerOf(call)).toBeUndefined();
});

describe('the result of a call', () => {
  const at = { value: { status: 200 }, failed: false };

  test('is what the last attempt settled with, with its history', () => {
    const { call } = setUp();
    call.history.push(...successOf(200));
    expect(resultOf(call, clientThat(), undefined, at)).toBe(at.value);
    expect(attemptsOf(at.value)).toEqual(successOf(200));
  });

  test('a failed attempt throws what it settled with', () => {
    const value = new Error('lost');
    expect(() => resultOf(setUp().call, clientThat(), undefined, { value, failed: true })).toThrow(value);
  });

  test.each<[what: string, restore: (() => unknown) | undefined, result: unknown]>([
    ['as it was kept', () => 'kept', 'kept'],
    ['as it is', undefined, 'before'],
    ['as it is, if nothing was kept', () => undefined, 'before'],
  ])('is that of the attempt before a retry that was not sent, %s', (_, restore, result) => {
    const aside = { released: Promise.resolve(), restore } as never;
    const [whenBodyEnds, boundBody] = [vi.fn(), vi.fn()];
    const { call } = setUp({ totalTimeoutMs: 9, totalTimeoutCovers: 'body' }, { free: () => undefined });
    if (call.parts) call.parts.bodyHolder = {};
    const client = clientThat({ whenBodyEnds, boundBody });
    expect(resultOf(call, client, { value: 'before', failed: false, aside }, at)).toBe(result);
    expect([whenBodyEnds.mock.calls, boundBody.mock.calls]).toEqual([[], []]);
  });

  test('its slot is free when its body ends, or at once', () => {
    const free = vi.fn();
    const holding = () => {
      const { call } = setUp({}, { free });
      if (call.parts) call.parts.bodyHolder = {};
      return call;
    };
    let end: (() => void) | undefined;
    const whenBodyEnds = (_: unknown, ended: () => void): string => {
      end = ended;
      return 'watched';
    };
    expect(resultOf(holding(), clientThat({ whenBodyEnds }), undefined, at)).toBe('watched');
    expect(free).not.toHaveBeenCalled();
    end?.();
    expect(free).toHaveBeenCalledTimes(1);
    expect(resultOf(holding(), clientThat(), undefined, at)).toBe(at.value);
    expect(free).toHaveBeenCalledTimes(2);
    resultOf(setUp({}, { free }).call, clientThat(), undefined, at);
    expect(free).toHaveBeenCalledTimes(2);
  });

  test.each<[options: PolicyOptions, isBound: boolean]>([
    [{ totalTimeoutMs: 100, totalTimeoutCovers: 'body' }, true],
    [{ totalTimeoutMs: 100 }, false],
    [{ totalTimeoutCovers: 'body' }, false],
  ])('with %j its body is bound: %s', (options, isBound) => {
    const boundBody = vi.fn();
    const { call } = setUp(options);
    resultOf(call, clientThat({ boundBody }), undefined, at);
    expect(boundBody.mock.calls).toEqual(isBound ? [[at.value, call, call.deadline]] : []);
    expect(() => resultOf(call, clientThat(), undefined, at)).not.toThrow();
  });
});

describe('the error of a call', () => {
  test.each([
    [0, true],
    [1, false],
  ])('after %i attempts the client is told that nothing was sent: %s', (attempt, isTold) => {
    const unsent = vi.fn();
    const { call } = setUp();
    call.attempt = attempt;
    const error = new Error('no');
    expect(errorOf(call, clientThat({ unsent }), undefined, error)).toBe(error);
    expect(unsent.mock.calls).toEqual(isTold ? [[error]] : []);
    expect(() => errorOf(call, clientThat(), undefined, error)).not.toThrow();
  });

  test('has the history of the call', () => {
    const { call } = setUp();
    call.history.push(...successOf(200));
    const error = new Error('late');
    errorOf(call, clientThat(), undefined, error);
    expect(attemptsOf(error)).toEqual(successOf(200));
  });

  test('the reason of an abort, which may end many calls, has none of them', () => {
    const { call } = setUp();
    call.history.push(...successOf(200));
    const reason = new Error('left');
    const signal = AbortSignal.abort(reason);
    errorOf(call, clientThat(), signal, reason);
    expect(attemptsOf(reason)).toEqual(successOf(200));
    errorOf(call, clientThat(), signal, reason);
    expect(attemptsOf(reason)).toEqual([]);
  });

  test.each([
    [true, true],
    [false, false],
  ])('of a request below that was repeated (%s) its own history stays: %s', (hasFailed, stays) => {
    const { call } = setUp();
    call.place?.enter(undefined, undefined);
    const layered = call.place?.passage?.call as LayeredCall;
    layered.hasFailed = hasFailed;
    const error = new Error('below');
    setHistory(error, successOf(204));
    errorOf(call, clientThat(), undefined, error);
    expect(attemptsOf(error)).toEqual(stays ? successOf(204) : []);
    const other = new Error('without one');
    call.history.push(...successOf(200));
    errorOf(call, clientThat(), undefined, other);
    expect(attemptsOf(other)).toEqual(successOf(200));
    call.place?.close();
  });
});

describe('an attempt that ran out of time', () => {
  test('has the error of the client for a timeout', () => {
    const timeoutError = vi.fn((timeoutMs: number) => new RangeError(`client ${timeoutMs}`));
    expect(lateBy(clientThat({ timeoutError }), new OutOfTime(5, true))).toEqual(new RangeError('client 5'));
    expect(lateBy(clientThat(), new OutOfTime(5, true))).toMatchObject({ name: 'TimeoutError' });
    expect(
      lateBy(clientThat({ timeoutError: () => undefined as never }), new OutOfTime(5, true)),
    ).toBeInstanceOf(DOMException);
  });

  test('any other error stays', () => {
    const error = new Error('other');
    expect(lateBy(clientThat(), error)).toBe(error);
  });
});
