import { describe, expect, test, vi } from 'vitest';
import { outerCall } from '#nested';
import { callTo, limitOf, limitWith, pluginOf, REQUEST } from '../../test/call-with-limits.ts';
import { throwing } from '../../test/throwing.ts';
import { HookError, NotSentError } from '../base/errors.ts';
import type { Limit } from '../policy/limit.ts';
import type { PolicyOptions } from '../policy/options.ts';
import type { Plugin } from '../policy/plugin.ts';
import type { Call } from './call.ts';
import { lateBy, OutOfTime } from './deadline.ts';
import { attemptsOf, setHistory, successOf } from './history.ts';
import { run } from './run.ts';
import { layerOf, resultOf, sendWithin, type Transport, timeoutOf } from './transport.ts';

/** A call which has what its first attempt needs. */
function setUp(options: PolicyOptions = {}, ...extensions: readonly (Plugin | Limit)[]) {
  const { call, clock } = callTo(options, extensions);
  call.start();
  call.permits?.take();
  call.attempt = 1;
  return { clock, call };
}

const clientThat = (verbs: Partial<Transport<unknown>> = {}): Transport<unknown> =>
  verbs as Transport<unknown>;

describe('sending', () => {
  test('is what the client does, if nothing stands around it', () => {
    expect(sendWithin(setUp().call, () => 'sent')).toBe('sent');
  });

  test('goes through wrapAttempt and the plugins, in this order, and calls within find the call', () => {
    const { call } = setUp(
      {
        wrapAttempt: ((send: () => unknown, current: object) => [
          `policy ${JSON.stringify(current)}`,
          send(),
        ]) as never,
      },
      pluginOf({ wrapAttempt: (send) => ['plugin', outerCall(), send()] as never }),
    );
    expect(sendWithin(call, () => outerCall())).toEqual([
      `policy {"attempt":1,"request":${JSON.stringify(REQUEST)}}`,
      ['plugin', undefined, call],
    ]);
    expect(outerCall()).toBeUndefined();
  });

  test('the first plugin stands outermost', () => {
    const around = (name: string): Plugin =>
      pluginOf({ wrapAttempt: (send) => `${name}(${send()})` as never });
    const { call } = setUp({}, around('a'), pluginOf(), around('b'));
    expect(sendWithin(call, () => 'sent')).toBe('a(b(sent))');
  });

  test('a wrapAttempt that fails before it sends gives back what was taken', () => {
    const cancel = vi.fn();
    const wrapAttempt = throwing();
    const { call } = setUp({ wrapAttempt }, limitWith({ cancel }));
    expect(() => sendWithin(call, () => 'sent')).toThrow(HookError);
    expect(cancel).toHaveBeenCalledTimes(1);
    expect(() => sendWithin(setUp({ wrapAttempt }).call, () => 'sent')).toThrow('wrapAttempt failed: boom');
  });

  test('what fails as it is sent is the error of the client', () => {
    const cancel = vi.fn();
    const { call } = setUp({ wrapAttempt: (send) => send() }, limitWith({ cancel }));
    const fails = throwing(new TypeError('of the client'));
    expect(() => sendWithin(call, fails)).toThrow(TypeError);
    expect(cancel).not.toHaveBeenCalled();
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
      const { call, clock } = setUp(options, ...(instance ? [pluginOf(instance)] : []));
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

test('options carry the call for those within it, if there can be any', () => {
  const ways = ['socket', 'converted'] as const;
  const [alone, around] = ways.map((way) => callTo({}, [], undefined, REQUEST, way).call);
  expect([layerOf(alone as Call), layerOf(around as Call)]).toEqual([undefined, around]);
});

/** A client whose attempts are answered by a 503, which is set aside with what it is given. */
function answering(aside: object, verbs: Partial<Transport<unknown>>): Transport<unknown> {
  return {
    send: async () => 'before',
    outcome: () => ({ type: 'response', status: 503, header: () => undefined }),
    failure: (error) => ({ type: 'failure', kind: 'network', error }),
    setAside: () => ({ released: Promise.resolve(), ...aside }),
    ...verbs,
  };
}

/** Refuses all attempts but so many. */
const refusing = (given: number): Limit =>
  limitOf({
    take(call) {
      if (call.attempt >= given) throw new NotSentError('refused');
      call.bodyHolder = {};
      return { cancel: () => undefined };
    },
  });

describe('the result of a call', () => {
  const at = { value: { status: 200 }, failed: false };

  test('is what the last attempt settled with, with its history', () => {
    const { call } = setUp();
    call.history = successOf(200);
    expect(resultOf(call, clientThat(), at)).toBe(at.value);
    expect(attemptsOf(at.value)).toEqual(successOf(200));
  });

  test('a failed attempt throws what it settled with', () => {
    const value = new Error('lost');
    expect(() => resultOf(setUp().call, clientThat(), { value, failed: true })).toThrow(value);
  });

  test.each<[what: string, restore: (() => unknown) | undefined, result: unknown]>([
    ['as it was kept', () => 'kept', 'kept'],
    ['as it is', undefined, 'before'],
    ['as it is, if nothing was kept', () => undefined, 'before'],
  ])('is that of the attempt before a retry that was not sent, %s', async (_, restore, result) => {
    const [whenBodyEnds, boundBody] = [vi.fn(), vi.fn()];
    const options: PolicyOptions = { totalTimeoutMs: 9, totalTimeoutCovers: 'body', backoff: () => 0 };
    const { call } = callTo(options, [refusing(1)]);
    expect(await run(call, answering({ restore }, { whenBodyEnds, boundBody }))).toBe(result);
    expect([whenBodyEnds.mock.calls, boundBody.mock.calls]).toEqual([[], []]);
  });

  test('its slot is free when its body ends, or at once', () => {
    const release = vi.fn();
    const holding = () => {
      const { call } = setUp({}, limitWith({ release }));
      call.bodyHolder = {};
      return call;
    };
    let end: (() => void) | undefined;
    const whenBodyEnds = (_: unknown, ended: () => void): string => {
      end = ended;
      return 'watched';
    };
    expect(resultOf(holding(), clientThat({ whenBodyEnds }), at)).toBe('watched');
    expect(release).not.toHaveBeenCalled();
    end?.();
    expect(release).toHaveBeenCalledTimes(1);
    expect(resultOf(holding(), clientThat(), at)).toBe(at.value);
    expect(release).toHaveBeenCalledTimes(2);
  });
});

describe('the error of a call', () => {
  /** The error of a call whose last attempt has failed with this one. */
  const errorOf = (call: Call, error: unknown): unknown => {
    try {
      return resultOf(call, clientThat(), { value: error, failed: true });
    } catch (thrown) {
      return thrown;
    }
  };

  test.each<[what: string, options: PolicyOptions, isTold: boolean]>([
    ['before the first attempt', { limits: [refusing(0)] }, true],
    ['after it', { classify: throwing(new Error('no')) }, false],
  ])('%s: the client is told that nothing was sent: %s', async (_, options, isTold) => {
    const unsent = vi.fn();
    const error = await run(callTo(options).call, answering({}, { unsent })).catch((thrown: Error) => thrown);
    expect(unsent.mock.calls).toEqual(isTold ? [[error]] : []);
    await expect(run(callTo(options).call, answering({}, {}))).rejects.toThrow(Object(error).message);
  });

  test('the reason of an abort, which may end many calls, has none of them', () => {
    const { call } = setUp();
    call.history = successOf(200);
    const reason = new Error('left');
    call.signal = AbortSignal.abort(reason);
    errorOf(call, reason);
    expect(attemptsOf(reason)).toEqual(successOf(200));
    errorOf(call, reason);
    expect(attemptsOf(reason)).toEqual([]);
  });

  test.each([
    [true, true],
    [false, false],
  ])('of a request within that was repeated (%s) its own history stays: %s', (hasFailed, stays) => {
    const { call } = setUp();
    call.hasFailed = hasFailed;
    const error = new Error('within');
    setHistory(error, successOf(204));
    errorOf(call, error);
    expect(attemptsOf(error)).toEqual(stays ? successOf(204) : []);
    const other = new Error('without one');
    call.history = successOf(200);
    errorOf(call, other);
    expect(attemptsOf(other)).toEqual(successOf(200));
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
