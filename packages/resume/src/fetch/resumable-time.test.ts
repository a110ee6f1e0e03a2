import { getEventListeners } from 'node:events';
import { constant, createPolicy, type EbbEvent, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { expect, test, vi } from 'vitest';

import { type ResumableOptions, resumable } from '../fetch.ts';

const headers = { 'content-type': 'text/event-stream' };
const encoder = new TextEncoder();

/** A step of a body: text, a wait in milliseconds, or its break. */
type Step = string | number | 'break';

/** In virtual time. Calls `cancelled` when its reader gives it up. */
function playing(clock: ReturnType<typeof virtualClock>, steps: readonly Step[], cancelled: () => void) {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (let step = steps[at++]; ; step = steps[at++]) {
        if (step === undefined) return controller.close();
        if (step === 'break') return controller.error(new TypeError('terminated'));
        if (typeof step === 'string') return controller.enqueue(encoder.encode(step));
        const delayMs = step;
        await new Promise<void>((resolve) => clock.schedule(resolve, delayMs));
      }
    },
    cancel: cancelled,
  });
}

async function play(
  script: readonly (readonly Step[])[],
  options: ResumableOptions = {},
  policyOptions: PolicyOptions = {},
  signal?: AbortSignal,
) {
  const clock = virtualClock({ startMs: 0 });
  const events: EbbEvent[] = [];
  const sentAtMs: number[] = [];
  let cancelled = 0;
  const policy = createPolicy({
    backoff: constant(1_000),
    clock,
    random: () => 0,
    onEvent: (event) => events.push(event),
    ...policyOptions,
  });
  const base = async () => {
    sentAtMs.push(clock.elapsedMs);
    const steps = script[Math.min(sentAtMs.length, script.length) - 1] ?? [];
    return new Response(
      playing(clock, steps, () => {
        cancelled += 1;
      }),
      { headers },
    );
  };
  const fetch = resumable(createFetch(policy, base), { policy, ...options });
  const result = await clock.runUntilSettled(
    fetch('http://upstream.test/', signal && { signal })
      .then((response) => response.text())
      .catch((error: unknown) => error),
  );
  const resumes = events.filter(({ type }) => type === 'resume');
  const results = events.flatMap((event) => (event.type === 'resume-end' ? [event.result] : []));
  return { result, sentAtMs, cancelled, clock, events, resumes, results };
}

/** A hook that throws each second time. */
function failsEachSecondTime(): () => undefined {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls % 2 === 0) throw new Error('no token');
  };
}

const one = 'id: 1\ndata: a\n\n';
const two = 'id: 2\ndata: b\n\n';

// The tests of resumers have all results.
test.each<[string, readonly (readonly Step[])[], PolicyOptions, results: string]>([
  ['the rest comes', [[one, 'break'], [two]], {}, 'continued'],
  ['it breaks twice', [[one, 'break'], [two, 'break'], [one]], {}, 'continued continued'],
  [
    'the request for the rest fails',
    [[one, 'break'], [two]],
    { beforeAttempt: failsEachSecondTime(), trustedOrigins: () => true },
    'refused',
  ],
])('what events say came of a break: %s', async (_, script, policyOptions, expected) => {
  const { results, resumes, events } = await play(script, {}, policyOptions);
  expect(results.join(' ')).toBe(expected);
  const ends = events.filter(({ type }) => type === 'resume-end');
  for (const [at, resume] of resumes.entries()) expect(ends[at]?.request).toBe(resume.request);
});

test('silence is a break, whose connection is closed', async () => {
  const { result, sentAtMs, cancelled, resumes } = await play([[one, 60_000, 'late'], [two]], {
    idleTimeoutMs: 5_000,
  });
  expect(result).toBe(one + two);
  expect(sentAtMs).toEqual([0, 6_000]);
  expect(cancelled).toBe(1);
  expect(resumes).toMatchObject([{ reason: 'idle', passedBytes: 15, outcome: { kind: 'timeout' } }]);
});

test('a break after a silence is not one itself', async () => {
  const script = [[one, 60_000], [two, 'break'], [one]] as const;
  const { result, resumes } = await play(script, { idleTimeoutMs: 5_000 });
  expect(result).toBe(one + two + one);
  expect(resumes).toMatchObject([{ reason: 'idle' }, { reason: 'broken' }]);
});

test('comments end a silence, and leave no timer', async () => {
  const { result, clock } = await play([[one, 4_000, ':\n\n', 4_000, two]], { idleTimeoutMs: 5_000 });
  expect(result).toBe(`${one}:\n\n${two}`);
  expect(clock.pending).toBe(0);
});

test('a stream that falls silent, and cannot be resumed, ends with a TimeoutError', async () => {
  const { result } = await play([['data: a\n\n', 60_000]], { idleTimeoutMs: 5_000 });
  expect(result).toMatchObject({ name: 'TimeoutError', message: 'nothing arrived for 5000 ms' });
  expect((result as Error & { cause: Error }).cause.message).toBe('not resumed: events without an id');
});

test('the backoff of a resumption gets the request, and no outcome', async () => {
  const backoff = vi.fn(() => 5);
  const { sentAtMs } = await play([[one, 'break'], [two]], {}, { backoff });
  expect(sentAtMs).toEqual([0, 5]);
  const request = expect.objectContaining({ method: 'GET', url: 'http://upstream.test/' });
  expect(backoff.mock.calls).toEqual([[expect.objectContaining({ retry: 1, request })]]);
  expect(backoff.mock.calls[0]).not.toHaveProperty('0.outcome');
});

test('a total timeout holds for each resumption from its break', async () => {
  const script = [[one, 50_000, 'break'], [two, 50_000, 'break'], [one]] as const;
  const { result } = await play(script, {}, { totalTimeoutMs: 2_000 });
  expect(result).toBe(one + two + one);
  const late = await play(script, {}, { totalTimeoutMs: 1_000 });
  expect((late.result as Error & { cause: Error }).cause.message).toBe('not resumed: too long a wait');
});

test.each([
  ['at its end', [[one, 'break'], [two]]],
  [
    'after an error',
    [
      [one, 'break'],
      ['data: b\n\n', 'break'],
    ],
  ],
] as const)('a resumed body leaves no listener on the signal of the caller (%s)', async (how, script) => {
  const { signal } = new AbortController();
  const { result, sentAtMs } = await play(script, { maxResumes: 1 }, {}, signal);
  expect(result instanceof Error).toBe(how === 'after an error');
  expect(sentAtMs.length).toBeGreaterThan(1);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
