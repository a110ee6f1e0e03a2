import { describe, expect, test, vi } from 'vitest';
import { callWith, response } from '../../test/call-with-part.ts';
import { HookError, NotSentError } from '../base/errors.ts';
import type { Call } from './call.ts';
import { OutOfTime } from './deadline.ts';
import { endUnsent, judge, SKIP, SKIP_AND_END, type Skip } from './judge.ts';
import type { PolicyOptions } from './options.ts';
import type { PartInstance } from './part.ts';

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
    const { call, events } = callWith({}, { leave, end });
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
      const { call, events } = callWith({ totalTimeoutMs: 1_000 });
      if (isRetry) judge(call, response(503));
      Object.assign(call.deadline ?? {}, { bindsWait });
      await endUnsent(call, refused('wait-too-long'), undefined).catch(() => undefined);
      expect(events.at(-1)).toMatchObject({ type: 'end', reason });
    },
  );

  test('a refusal tells whose it was, and other errors do not', async () => {
    const { call } = callWith();
    call.fairness = { fairKey: 'tenant' };
    const [refusal, other] = [refused(), new HookError('cost', new Error('x'))];
    await endUnsent(call, refusal, undefined).catch(() => undefined);
    await endUnsent(call, other, undefined).catch(() => undefined);
    expect([Object(refusal).fairKey, Object(other).fairKey]).toEqual(['tenant', undefined]);
  });

  test('a call without parts ends as well', async () => {
    const { call } = callWith();
    call.parts = undefined;
    await expect(endUnsent(call, refused(), undefined)).rejects.toThrow('no');
  });
});

describe('a chance that is skipped', () => {
  const skip = (call: Call, blocker: unknown = SKIP): void => (blocker as Skip).skip(call);

  test('counts as a retry, and the next one comes after the backoff', () => {
    const skipped = vi.fn();
    const { call, events } = callWith({}, { skip: skipped });
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
    const { call, events } = callWith(options, instance);
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
    const { call } = callWith({}, { permit });
    skip(call);
    expect(permit.mock.calls).toEqual([[{ reason: 'refused', delayMs: 10 }]]);
  });

  test('with the blocker that ends it there is no other chance', () => {
    const { call } = callWith();
    call.attempt = 0;
    expect(() => skip(call, SKIP_AND_END)).toThrow('Not sent: too little succeeds');
    expect(call.history).toMatchObject([{ attempt: 1, reason: 'overload' }]);
  });
});
