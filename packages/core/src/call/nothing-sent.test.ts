import { describe, expect, test, vi } from 'vitest';
import { callTo, limitOf, limitWith, pluginOf, response } from '../../test/call-with-limits.ts';
import { judge } from '../../test/steps.ts';
import { HookError, NotSentError } from '../base/errors.ts';
import type { Limit, Permit, Skip } from '../policy/limit.ts';
import type { PolicyOptions } from '../policy/options.ts';
import type { Plugin } from '../policy/plugin.ts';
import { OutOfTime } from './deadline.ts';
import type { CallStep } from './types.ts';

describe('the end in front of an attempt', () => {
  const refused = (reason?: string): NotSentError =>
    new NotSentError('no', undefined, { reason: reason as never });
  const aborted = AbortSignal.abort(new Error('left'));
  const stoppedBy = refused('stopped');

  /** A call that waits for the body of its first attempt, or of a retry, with all that this needs. */
  function inFrontOf(
    isRetry: boolean,
    options: PolicyOptions = {},
    ...extensions: readonly (Plugin | Limit)[]
  ) {
    const made = callTo(options, extensions);
    const { call } = made;
    if (isRetry) {
      call.next();
      judge(call, response(503));
      call.released();
      // The backoff.
      call.next();
    }
    call.client = { makeBody: () => new Promise(() => undefined), timeoutError: (timeoutMs) => timeoutMs };
    expect(call.next().do).toBe('wait');
    return made;
  }

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
    ['a limit refuses without an error', false, undefined, undefined, 'limited', true],
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
  ])('%s', (_, isRetry, error, signal, reason, isThrown) => {
    const [cancel, ended] = [vi.fn(), vi.fn()];
    const { call, events } = inFrontOf(isRetry, {}, limitWith({ cancel }), pluginOf({ ended }));
    call.signal = signal;
    const thrown = error instanceof OutOfTime ? 5 : error;
    const step = { do: 'end', reason, ...(isThrown ? { error: thrown } : { before: 'last' }) };
    expect(call.stopped(error)).toEqual(step);
    expect([cancel.mock.calls, ended.mock.calls]).toEqual([[[]], [[call, reason]]]);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason });
    expect(call.history.map((one) => one.reason)).toEqual(isRetry ? [isThrown ? 'transient' : reason] : []);
  });

  test.each([
    ['wait-too-long', true, true, 'deadline-exceeded'],
    ['wait-too-long', true, false, 'limited'],
    ['wait-too-long', false, true, 'limited'],
    ['closed', true, true, 'limited'],
  ])(
    'a refusal as %s, of a retry %s, bound by the total timeout %s: %s',
    (why, isRetry, bindsWait, reason) => {
      const { call, events } = inFrontOf(isRetry, { totalTimeoutMs: 1_000 });
      Object.assign(call.deadline ?? {}, { bindsWait });
      call.stopped(refused(why));
      expect(events.at(-1)).toMatchObject({ type: 'end', reason });
    },
  );

  test.each([
    [refused(), 'tenant'],
    [new HookError('cost', new Error('x')), undefined],
  ])('a refusal tells whose it was, and other errors do not: %s', (error, fairKey) => {
    const { call } = inFrontOf(false, { fairKey: 'tenant' });
    call.stopped(error);
    expect(Object(error).fairKey).toBe(fairKey);
  });
});

describe('a scheduled attempt that is skipped', () => {
  /** A call whose first attempt is skipped, or its first retry, and all scheduled attempts after it. */
  function skipped(isRetry: boolean, options: PolicyOptions = {}, own: object = {}, skip: object = {}) {
    const take = ({ attempt }: { readonly attempt: number }): Skip | undefined =>
      isRetry && attempt === 0 ? undefined : { skip: true, delayMs: 10, ...skip };
    const made = callTo(options, [limitOf({ take, ...own })]);
    const { call, events } = made;
    call.waitedMs = 4;
    if (!isRetry) return { ...made, step: call.next() };
    call.next();
    judge(call, response(503));
    events.length = 0;
    call.released();
    // The backoff.
    call.next();
    return { ...made, step: call.next() };
  }

  const isEnd = (step: CallStep): boolean => step.do === 'end';

  test('counts as no retry, and the next one comes when the limit says', () => {
    const { call, events } = skipped(false, { maxRetries: 0 });
    expect(call).toMatchObject({ skipped: 1, delayMs: 10 });
    expect(call.previousBackoffMs).toBeUndefined();
    call.next();
    expect(call.skipped).toBe(2);
    expect(call.history).toEqual([
      { attempt: 1, delayMs: 0, waitedMs: 4, reason: 'skipped' },
      { attempt: 1, delayMs: 10, waitedMs: 0, reason: 'skipped' },
    ]);
    expect(events).toMatchObject([
      { type: 'attempt-skipped', delayMs: 10 },
      { type: 'attempt-skipped', delayMs: 10 },
    ]);
  });

  /** Allows the retry itself, and says this of the next scheduled attempt. */
  const then = (later: unknown) => {
    let asked = 0;
    return {
      planRetry() {
        asked += 1;
        return asked > 1 ? later : undefined;
      },
    };
  };

  test.each<[what: string, options: PolicyOptions, isRetry: boolean, own: object, hasNext: boolean]>([
    ['no retry allowed', { maxRetries: 0 }, false, {}, true],
    ['a total timeout that is as long', { totalTimeoutMs: 10 }, false, {}, true],
    ['a shorter total timeout', { totalTimeoutMs: 9 }, false, {}, false],
    ['a first attempt, which needs no permission', {}, false, { planRetry: () => 'budget-exhausted' }, true],
    ['a retry that a limit denies', {}, true, then('budget-exhausted'), false],
    ['a retry that a limit allows', {}, true, then(undefined), true],
  ])('%s', (_, options, isRetry, own, hasNext) => {
    const { call, events, step } = skipped(isRetry, options, own);
    expect(isEnd(step)).toBe(!hasNext);
    if (hasNext) {
      expect(call.delayMs).toBe(10);
      return;
    }
    if (isRetry) expect(step).toEqual({ do: 'end', reason: 'overload', before: 'last' });
    else expect(step).toMatchObject({ reason: 'overload', error: { name: 'NotSentError' } });
    expect(call.history.at(-1)?.reason).toBe('overload');
    expect(events.at(-2)).toMatchObject({ type: 'attempt-skipped', delayMs: undefined });
  });

  test('permission is asked for a retry with its delay, and what the scheduled attempt before was given goes back', () => {
    const cancel = vi.fn();
    const planRetry = vi.fn((..._given: unknown[]): Permit => ({ cancel }));
    skipped(true, {}, { planRetry });
    expect(planRetry.mock.calls.map(([, retry]) => retry)).toEqual([
      { reason: 'transient', delayMs: 10 },
      { reason: 'refused', delayMs: 10 },
    ]);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  test('without another one no permission is asked', () => {
    const planRetry = vi.fn((..._given: unknown[]) => undefined);
    skipped(true, {}, { planRetry }, { delayMs: undefined });
    expect(planRetry.mock.calls.map(([, retry]) => retry)).toEqual([{ reason: 'transient', delayMs: 10 }]);
  });

  test('after 1,000 skips the call ends, also if a limit skips for ever and at once', () => {
    const { call, events } = skipped(false, {}, {}, { delayMs: 0 });
    for (let step = call.next(); !isEnd(step); step = call.next()) expect(call.skipped).toBeLessThan(2_000);
    expect(call.skipped).toBe(1_000);
    expect(events.at(-2)).toMatchObject({ type: 'attempt-skipped', delayMs: undefined });
  });

  test('without a delay there is no other scheduled attempt, with and without a total timeout', () => {
    const { step: other } = skipped(false, { totalTimeoutMs: 1e6 }, {}, { delayMs: undefined });
    expect(isEnd(other)).toBe(true);
    const { call, step } = skipped(false, {}, {}, { delayMs: undefined });
    expect(step).toMatchObject({ do: 'end', error: { message: 'Not sent: too little succeeds' } });
    expect(call.history).toMatchObject([{ attempt: 1, reason: 'overload' }]);
  });
});
