import { describe, expect, test, vi } from 'vitest';
import {
  callWith,
  followed,
  type Hooks,
  limitWith,
  pluginOf,
  response,
} from '../../test/call-with-limits.ts';
import { throwing } from '../../test/throwing.ts';
import type { Outcome } from '../http/outcome.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { OutOfTime } from './deadline.ts';

const open = throwing(new Error('not asked for'));
const given = response(503);

/** A call whose response plugins read, and what it is judged as. */
function reading(options: PolicyOptions, ...instances: readonly Hooks[]) {
  const judged: Outcome[] = [];
  const settle = (outcome: Outcome): void => void judged.push(outcome);
  const made = callWith(options, [limitWith({ settle }), ...instances.map((one) => pluginOf(one))]);
  const ended = (outcome = given) => followed(made.call, made.call.ended(outcome, open));
  return { ...made, judged, ended };
}

describe('responses that plugins read', () => {
  test.each([false, true])('a verdict that is none ends the call, async: %s', async (isAsync) => {
    const advice = { verdict: 'retry' as never };
    const judge = (): never => (isAsync ? Promise.resolve(advice) : advice) as never;
    const { ended, judged } = reading({}, { judge });
    const text = /^inspect failed: its result must be/;
    const error = { hook: 'inspect', message: expect.stringMatching(text) };
    expect(await ended()).toMatchObject({ do: 'end', reason: 'final', error });
    expect(judged).toEqual([given]);
  });

  test('each plugin sees what the one before has said, and may say nothing', async () => {
    const seen: unknown[] = [];
    const say = (advice: object | undefined, isAsync: boolean): Hooks => ({
      judge: (_outcome, _call, _body, said) => {
        seen.push(said);
        return (isAsync ? Promise.resolve(advice) : advice) as never;
      },
    });
    const { judged, ended } = reading(
      {},
      say(undefined, false),
      {},
      say({ waitMs: 5 }, false),
      say(undefined, true),
      say({ waitMs: 6 }, true),
    );
    await ended();
    expect(judged).toMatchObject([{ status: 503, advice: { waitMs: 6 } }]);
    expect(seen).toEqual([undefined, undefined, { waitMs: 5 }, { waitMs: 5 }]);
    const silent = reading({}, say(undefined, true));
    await silent.ended();
    expect(silent.judged[0]).toBe(given);
  });

  test('without a timeout a plugin that reads has the signal of the caller itself', async () => {
    const { signal } = new AbortController();
    for (const own of [signal, undefined]) {
      const judge = vi.fn((..._given: unknown[]) => undefined);
      const { call, ended } = reading({}, { judge });
      call.signal = own;
      await ended();
      const body = judge.mock.calls[0]?.[2] as { readonly signal: unknown };
      expect(body).toEqual({ attempt: 1, open, signal: own });
      expect(body.signal).toBe(own);
    }
  });

  test.each<[what: string, options: PolicyOptions, isTotal: boolean, timeoutMs: number]>([
    ['its own timeout', { attemptTimeoutMs: 50 }, false, 50],
    ['the total timeout', { totalTimeoutMs: 60 }, true, 60],
  ])('a plugin that never settles ends with %s', async (_, options, isTotal, timeoutMs) => {
    const told: (AbortSignal | undefined)[] = [];
    const judge: Hooks['judge'] = (_outcome, _said, { signal }) => {
      told.push(signal);
      return new Promise(() => undefined);
    };
    const { call, clock, ended, judged } = reading(options, { judge });
    clock.tick(10);
    call.signal = new AbortController().signal;
    call.deadline?.bound();
    call.endsAtMs = timeoutMs;
    const step = ended();
    expect(told[0]?.aborted).toBe(false);
    await clock.advance(timeoutMs - 11);
    expect(told[0]?.aborted).toBe(false);
    await clock.advance(1);
    // The response is not what the caller gets.
    expect(await step).toMatchObject({ do: isTotal ? 'end' : 'retry', error: { name: 'TimeoutError' } });
    expect(judged).toMatchObject([{ kind: 'timeout' }]);
    expect(told[0]?.reason).toBeInstanceOf(OutOfTime);
    expect(told[0]?.reason).toMatchObject({ timeoutMs, isTotal });
  });

  test('without a timeout a plugin that never settles ends with the signal of the caller, and not with a stop', async () => {
    const [caller, stop] = [new AbortController(), new AbortController()];
    const judge = (): Promise<never> => new Promise(() => undefined);
    const { call, clock, ended } = reading({ stopSignal: stop.signal }, { judge });
    call.signal = caller.signal;
    const step = ended();
    stop.abort();
    await clock.advance(600_000);
    expect(call.hasEnded).toBe(false);
    caller.abort('left');
    expect(await step).toEqual({ do: 'end', reason: 'aborted', error: 'left' });
    expect(clock.pending).toBe(0);
  });

  test('an abort of the caller reaches a plugin that reads under a timeout', async () => {
    const abort = new AbortController();
    const signals: AbortSignal[] = [];
    const judge: Hooks['judge'] = (_outcome, _said, { signal }) => {
      if (signal) signals.push(signal);
      return undefined;
    };
    const { call, ended } = reading({ attemptTimeoutMs: 50 }, { judge });
    call.signal = abort.signal;
    call.endsAtMs = 50;
    await ended();
    abort.abort('left');
    expect(signals[0]?.reason).toBe('left');
  });
});
