import { describe, expect, test, vi } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { constant } from '../backoff/curves.ts';
import { attemptsOf } from '../call/history.ts';
import type { EbbEvent } from '../events/events.ts';
import { serverFeedback } from '../http/server-feedback.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { virtualClock } from '../testing.ts';
import { type RetryOptions, retry } from './retry.ts';

const atOnce: PolicyOptions = { backoff: constant(0), maxRetries: 3 };

/** Throws or returns the given things, one a call; the last for ever. */
function scripted(...steps: unknown[]) {
  let calls = 0;
  const call = vi.fn(() => {
    const step = steps[Math.min(calls, steps.length - 1)];
    calls += 1;
    if (step instanceof Error || (typeof step === 'object' && step !== null && 'throws' in step)) {
      throw step instanceof Error ? step : (step as { throws: unknown }).throws;
    }
    return step;
  });
  return call;
}

function withStatus(status: number, headers: Record<string, string> = {}): Error {
  return Object.assign(new Error(`${status}`), { status, headers: new Headers(headers) });
}

describe('errors', () => {
  test.each<[story: string, error: unknown, calls: number, options?: PolicyOptions]>([
    ['any', new Error('no'), 2],
    ['a programming error', new TypeError('no'), 1],
    ['a lost connection of a browser', new TypeError('Load failed'), 2],
    ['a lost connection of fetch', new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }), 2],
    ['a thing that is no error', { throws: 'no' }, 2],
    ['a refused connection', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), 2],
    ['an abort of another signal', new DOMException('no', 'AbortError'), 1],
    ['503', withStatus(503), 2],
    ['429', withStatus(429), 2],
    ['400', withStatus(400), 1],
    ['a status that is none of HTTP', Object.assign(new Error('no'), { status: 7 }), 2],
    ['"do not retry", which is read on request', withStatus(503, { 'x-should-retry': 'false' }), 2],
    ['"do not retry"', withStatus(503, { 'x-should-retry': 'false' }), 1, { feedback: serverFeedback }],
  ])('%s', async (_, error, calls, options = {}) => {
    const call = scripted(error, 'done');
    const result = retry(call, { ...atOnce, ...options }).catch((thrown: unknown) => thrown);
    expect(await result).toBe(calls === 2 ? 'done' : error);
    expect(call).toHaveBeenCalledTimes(calls);
  });

  test('the last one is thrown unchanged, with its history', async () => {
    const errors = [new Error('1'), new Error('2'), new Error('3')];
    const thrown = await retry(scripted(...errors), { ...atOnce, maxRetries: 2 }).catch((e: unknown) => e);
    expect(thrown).toBe(errors[2]);
    expect(attemptsOf(thrown)).toMatchObject([
      { attempt: 1, failure: 'unknown', reason: 'transient' },
      { attempt: 2, failure: 'unknown', reason: 'transient' },
      { attempt: 3, failure: 'unknown', reason: 'retries-exhausted' },
    ]);
  });
});

test('a value is a success, and shows no status in its history', async () => {
  const value = {};
  expect(await retry(() => value)).toBe(value);
  expect(attemptsOf(value)).toEqual([{ attempt: 1, delayMs: 0, waitedMs: 0, reason: 'success' }]);
});

describe('judge', () => {
  test.each<[story: string, judge: RetryOptions<unknown>['judge'], steps: unknown[], calls: number]>([
    ['a value that is not there yet', ({ type }) => (type === 'value' ? 'transient' : undefined), [null], 4],
    [
      'only some values',
      (s) => (s.type === 'value' && s.value === null ? 'transient' : undefined),
      [null, 5],
      2,
    ],
    ['a final error', ({ type }) => (type === 'error' ? 'final' : undefined), [new Error('no')], 1],
    [
      'an error that is no failure',
      ({ type }) => (type === 'error' ? 'success' : undefined),
      [new Error('no')],
      1,
    ],
    ['a status', (s) => (s.type === 'error' ? 'transient' : undefined), [withStatus(400), 5], 2],
    ['nothing', () => undefined, [new Error('no'), 5], 2],
  ])('%s', async (_, judge, steps, calls) => {
    const call = scripted(...steps);
    await retry(call, atOnce, { judge }).catch(() => undefined);
    expect(call).toHaveBeenCalledTimes(calls);
  });

  test('a value that never suits is returned in the end', async () => {
    expect(await retry(() => 0, atOnce, { judge: () => 'transient' })).toBe(0);
  });

  test('that throws fails the call', async () => {
    const judge = throwing(new Error('no'));
    await expect(retry(() => 0, atOnce, { judge })).rejects.toThrow('judge failed: no');
    await expect(retry(() => 0, atOnce, { judge: () => 'retry' as never })).rejects.toThrow(
      "judge failed: its result must be one of 'success'",
    );
  });
});

describe('the signal', () => {
  test('may be what ends a call that is repeated for ever, whose history keeps the last hundred attempts', async () => {
    const controller = new AbortController();
    const error = new Error('no');
    const call = vi.fn(({ attempt }: { attempt: number }) => {
      if (attempt === 150) controller.abort(error);
      throw error;
    });
    const policy = { backoff: constant(0), maxRetries: Number.POSITIVE_INFINITY };
    const thrown = await retry(call, policy, { signal: controller.signal }).catch((e: unknown) => e);
    expect(thrown).toBe(error);
    const history = attemptsOf(error).map(({ attempt, reason }) => [attempt, reason]);
    expect([history.length, history[0], history.at(-1)]).toEqual([100, [51, 'transient'], [150, 'aborted']]);
    await expect(retry(call, policy)).rejects.toThrow('maxRetries must be a whole number ≥ 0 without');
  });

  test('ends an attempt that ignores it, and aborts the signal of the attempt', async () => {
    const controller = new AbortController();
    let given: AbortSignal | undefined;
    const result = retry(
      ({ signal }) => {
        given = signal;
        return new Promise(() => undefined);
      },
      atOnce,
      { signal: controller.signal },
    );
    controller.abort(new Error('enough'));
    await expect(result).rejects.toThrow('enough');
    expect(given?.reason).toEqual(new Error('enough'));
  });

  test('that is aborted beforehand: the function is not called', async () => {
    // Neither one that ignores its signal, and would never end.
    const call = vi.fn(() => new Promise(() => undefined));
    const signal = AbortSignal.abort(new Error('old'));
    await expect(retry(call, atOnce, { signal })).rejects.toThrow('old');
    expect(call).not.toHaveBeenCalled();
  });
});

test('wrong options are named', async () => {
  await expect(retry(() => 1, { retries: 3 } as never)).rejects.toThrow(
    'createPolicy has no option "retries"',
  );
  await expect(retry(5 as never)).rejects.toThrow('retry: call must be a function, got 5');
  await expect(retry(() => 1, {}, { until: 1 } as never)).rejects.toThrow('retry has no option "until"');
});

test('calls that run together have different requests, so that an observer can tell them apart', async () => {
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): unknown => events.push(event);
  await Promise.all([retry(async () => 1, { onEvent }), retry(async () => 2, { onEvent })]);
  const ends = events.filter(({ type }) => type === 'end');
  expect(ends.map(({ request }) => events.filter((event) => event.request === request).length)).toEqual([
    2, 2,
  ]);
});

test('a request of an attempt that was given up does not speak for the next one', async () => {
  const clock = virtualClock({ startMs: 0 });
  let calls = 0;
  const inner = { clock, random: () => 0, maxRetries: 1, backoff: constant(60) };
  const failing = async (): Promise<never> => {
    calls += 1;
    // It ignores the signal, and fails during the second attempt.
    if (calls === 1) await retry(() => Promise.reject(new Error('below')), inner);
    await clock.sleep(100);
    throw new Error('late');
  };
  const result = retry(failing, { clock, attemptTimeoutMs: 50, backoff: constant(0), maxRetries: 3 });
  result.catch(() => undefined);
  await clock.advance(1_000);
  await expect(result).rejects.toThrow();
  expect(calls).toBe(4);
});
