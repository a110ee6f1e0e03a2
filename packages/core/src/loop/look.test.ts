import { describe, expect, test, vi } from 'vitest';
import { callWith, lost, response } from '../../test/call-with-part.ts';
import type { Outcome, Responded } from '../http/outcome.ts';
import { OutOfTime } from './deadline.ts';
import { look, reads } from './judge.ts';
import type { PolicyOptions } from './options.ts';
import type { PartInstance } from './part.ts';

describe('responses that parts read', () => {
  test.each<[what: string, instance: PartInstance, outcome: Outcome, isRead: boolean]>([
    ['a response', { judge: () => undefined }, response(200), true],
    ['without such a part', {}, response(200), false],
    ['a failure', { judge: () => undefined }, lost, false],
    ['what a function has returned', { judge: () => undefined }, response(0), false],
  ])('%s', (_, instance, outcome, isRead) => {
    expect(reads(callWith({}, instance).call, outcome)).toBe(isRead);
  });

  const open = (): never => {
    throw new Error('not asked for');
  };
  const given = response(503) as Responded;

  test('a call without parts has nothing to read with', async () => {
    const { call } = callWith();
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
    const { call } = callWith();
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
    const { call } = callWith({}, { judge: judged as never });
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
    const { call, clock } = callWith(options, { judge });
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

  test('without a timeout a part that never settles ends with the signal of the caller, and not with a stop', async () => {
    const [caller, stop] = [new AbortController(), new AbortController()];
    const judge = (): Promise<never> => new Promise(() => undefined);
    const { call, clock } = callWith({ stopSignal: stop.signal }, { judge });
    let error: unknown;
    const ended = look(call, given, open, caller.signal).catch((thrown: unknown) => {
      error = thrown;
    });
    stop.abort();
    await clock.advance(600_000);
    expect(error).toBeUndefined();
    caller.abort('left');
    await ended;
    expect([error, clock.pending]).toEqual(['left', 0]);
  });

  test('a part that reads in time is not ended', async () => {
    const { call } = callWith({ attemptTimeoutMs: 50 }, { judge: async () => ({ waitMs: 1 }) });
    call.endsAtMs = 50;
    expect(((await look(call, given, open, undefined)) as Responded).judgement).toEqual({ waitMs: 1 });
  });

  test('an abort of the caller reaches a part that reads under a timeout', async () => {
    const abort = new AbortController();
    const signals: AbortSignal[] = [];
    const { call } = callWith(
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
    const { call } = callWith({}, { judge: async () => Promise.reject(new Error('boom')) });
    await expect(look(call, given, open, undefined)).rejects.toThrow('boom');
  });
});
