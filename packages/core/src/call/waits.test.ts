import { describe, expect, test, vi } from 'vitest';
import { callTo, limitOf, response } from '../../test/call-with-limits.ts';
import { throwing } from '../../test/throwing.ts';
import type { AcquireOptions } from '../policy/contracts.ts';
import type { Permit, Wait } from '../policy/limit.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { OutOfTime } from './deadline.ts';
import type { CallStep, WaitStep } from './types.ts';

/** A call in front of a limit that lacks something until `bring` or `refuse` is called. */
function waiting(options: PolicyOptions = {}, own: Partial<Wait> = {}) {
  const gate = Promise.withResolvers<Permit>();
  const acquire = vi.fn((_ask?: AcquireOptions) => gate.promise);
  let isFirst = true;
  const take = (): Wait | undefined => {
    if (!isFirst) return undefined;
    isFirst = false;
    return { acquire, ...own };
  };
  const made = callTo(options, [limitOf({ take })]);
  const step = made.call.next() as WaitStep;
  expect(step.do).toBe('wait');
  const follows = async (): Promise<CallStep> => {
    try {
      return made.call.next(await step.until);
    } catch (error) {
      return made.call.stopped(error);
    }
  };
  const cancel = vi.fn();
  const bring = (permit: Partial<Permit> = {}) => gate.resolve({ cancel, ...permit });
  return { ...made, acquire, cancel, bring, refuse: gate.reject, follows, step };
}

describe('how long a call has waited for a limit', () => {
  test.each<[what: string, permit: Partial<Permit>, passedMs: number, waitedMs: number]>([
    ['is what the permit says', { waitedMs: 7 }, 30, 7],
    ['is the time that has passed, if the permit does not say', {}, 30, 30],
    ['is no time, if the clock was set back', {}, -30, 0],
  ])('%s', async (_, permit, passedMs, waitedMs) => {
    let nowMs = 1_000;
    const { call, events, bring, follows } = waiting({
      clock: { now: () => nowMs, schedule: () => () => undefined },
    });
    nowMs += passedMs;
    bring(permit);
    expect(await follows()).toEqual({ do: 'send' });
    expect(call.waitedMs).toBe(waitedMs);
    if (waitedMs > 0) expect(events[0]).toMatchObject({ type: 'wait', waitedMs, slotMs: 0 });
    call.ended(response(200));
    expect(call.history).toMatchObject([{ attempt: 1, waitedMs, reason: 'success' }]);
  });

  test.each([
    [true, 7],
    [false, 0],
  ])('is told apart if it was for a slot: %s', async (isForSlot, slotMs) => {
    const { events, bring, follows } = waiting({}, { isForSlot });
    bring({ waitedMs: 7 });
    await follows();
    expect(events[0]).toMatchObject({ type: 'wait', waitedMs: 7, slotMs });
  });
});

describe('a wait without an end', () => {
  test.each<[options: PolicyOptions, endsAtMs: number, reason: string, error: object]>([
    [{ maxWaitMs: 50 }, 50, 'limited', { name: 'NotSentError', reason: 'wait-too-long' }],
    [{ maxWaitMs: 50, totalTimeoutMs: 90 }, 50, 'limited', { name: 'NotSentError', reason: 'wait-too-long' }],
    [{ maxWaitMs: 50, totalTimeoutMs: 50 }, 50, 'limited', { name: 'NotSentError', reason: 'wait-too-long' }],
    [{ maxWaitMs: 90, totalTimeoutMs: 50 }, 50, 'deadline-exceeded', { name: 'TimeoutError' }],
    [{ totalTimeoutMs: 50 }, 50, 'deadline-exceeded', { name: 'TimeoutError' }],
  ])('with %j ends after %i ms: %s', async (options, endsAtMs, reason, error) => {
    const { call, clock, acquire, follows } = waiting(options);
    expect(acquire.mock.calls[0]?.[0]).toMatchObject({ maxWaitMs: endsAtMs, retry: false });
    const step = follows();
    await clock.advance(endsAtMs - 1);
    expect(call.hasEnded).toBe(false);
    await clock.advance(1);
    expect(await step).toMatchObject({ do: 'end', reason, error });
  });

  test('goes on if it ends itself', async () => {
    const { call, clock, bring, follows } = waiting({ maxWaitMs: 50 }, { endsItself: true });
    const step = follows();
    await clock.advance(60);
    expect(call.hasEnded).toBe(false);
    bring();
    expect(await step).toEqual({ do: 'send' });
  });
});

describe('what comes while a call waits', () => {
  test('a permit after the end goes back', () => {
    const { call, cancel } = waiting();
    const end = call.stopped(new Error('left'));
    expect(end).toMatchObject({ do: 'end' });
    const lapse = vi.fn();
    expect(call.next({ cancel, lapse })).toBe(end);
    expect([cancel, lapse].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    // Once: its result is no permit any more.
    expect(call.next({ cancel, lapse })).toBe(end);
    expect([cancel, lapse].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  test.each(['abort', 'stop'])(
    'the %s of an observer of the wait ends the call, and nothing is sent',
    async (how) => {
      const [caller, stop] = [new AbortController(), new AbortController()];
      const types: string[] = [];
      const { call, bring, follows } = waiting({
        stopSignal: stop.signal,
        onEvent({ type }) {
          types.push(type);
          if (type === 'wait') (how === 'abort' ? caller : stop).abort(new Error('enough'));
        },
      });
      call.signal = caller.signal;
      bring({ waitedMs: 7 });
      expect(await follows()).toMatchObject({ do: 'end', reason: how === 'abort' ? 'aborted' : 'stopped' });
      expect(types).toEqual(['wait', 'end']);
    },
  );
});

describe('an attempt that runs out of time before it is sent', () => {
  /** A call in front of the body of its first attempt. */
  function inFrontOfBody(options: PolicyOptions = {}) {
    const made = callTo(options);
    made.call.client = { makeBody: () => new Promise(() => undefined) };
    expect(made.call.next().do).toBe('wait');
    return made;
  }

  test('in the turn of an abort is aborted', () => {
    const { call } = inFrontOfBody();
    const reason = new Error('enough');
    call.signal = AbortSignal.abort(reason);
    expect(call.stopped(new OutOfTime(5, false))).toEqual({ do: 'end', reason: 'aborted', error: reason });
    expect(call.history).toMatchObject([{ attempt: 1, failure: 'aborted', reason: 'aborted' }]);
  });

  test('and whose headers then fail ends with the error of the hook', () => {
    const beforeAttempt = () => ({ authorization: throwing(new Error('no token')) });
    const { call } = inFrontOfBody({ beforeAttempt: beforeAttempt as never });
    expect(call.stopped(new OutOfTime(5, false))).toMatchObject({
      do: 'end',
      reason: 'final',
      error: { name: 'HookError', hook: 'beforeAttempt' },
    });
    expect(call.history).toEqual([]);
  });
});

describe('a hook that returns at once', () => {
  test.each<[options: PolicyOptions, tookMs: number, step: object]>([
    [{ attemptTimeoutMs: 50 }, 49, { do: 'send' }],
    [{ attemptTimeoutMs: 50 }, 50, { do: 'retry', error: { name: 'TimeoutError' } }],
    [{ totalTimeoutMs: 50 }, 50, { do: 'send' }],
    [{ totalTimeoutMs: 50 }, 51, { do: 'end', reason: 'deadline-exceeded' }],
  ])('with %j after %i ms of work: %j', (options, tookMs, step) => {
    const made = callTo({
      ...options,
      beforeAttempt() {
        made.clock.tick(tookMs);
        return undefined;
      },
    });
    expect(made.call.next()).toMatchObject(step);
  });
});
