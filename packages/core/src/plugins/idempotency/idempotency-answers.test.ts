import { describe, expect, test } from 'vitest';
import {
  callTo,
  followed,
  limitOf,
  lost,
  outerOf,
  pluginOf,
  REQUEST,
} from '../../../test/call-with-limits.ts';
import type { InspectAdvice, Outcome, RequestTraits, ResponseOutcome } from '../../http/outcome.ts';
import type { PolicyOptions } from '../../policy/options.ts';
import { type IdempotencyAnswersOptions, idempotencyAnswers } from './idempotency-answers.ts';

const keyed = (key = 'order-1') => ({
  ...REQUEST,
  method: 'POST',
  header: (name: string) => (name === 'idempotency-key' ? key : undefined),
});
const bare = { ...REQUEST, method: 'POST' };
const answer = (status: number, headers: Record<string, string> = {}, more = {}): ResponseOutcome => ({
  type: 'response',
  status,
  header: (name) => headers[name],
  ...more,
});
const saved = { 'idempotent-replayed': 'true' };

/** Plays outcomes as the answers to a request, and returns its call and the delays before its retries. */
async function play(
  outcomes: readonly Outcome[],
  {
    options,
    policy,
    request = keyed(),
  }: {
    readonly options?: IdempotencyAnswersOptions;
    readonly policy?: PolicyOptions;
    readonly request?: RequestTraits;
  } = {},
) {
  const plugins = [...(policy?.plugins ?? []), idempotencyAnswers(options)];
  const { call, clock } = callTo({ ...policy, plugins }, [], undefined, request as typeof REQUEST);
  const delaysMs: number[] = [];
  call.next();
  for (const outcome of outcomes) {
    const step = call.ended(outcome, () => ({}) as never);
    if (step.do !== 'retry') return { call, delaysMs, reason: Object(step).reason as string };
    delaysMs.push(call.delayMs);
    call.released();
    let over = false;
    const next = followed(call, call.next()).then(() => {
      over = true;
    });
    for (let turn = 0; turn < 10 && !over; turn += 1) await clock.advance(Math.max(10, call.delayMs));
    await next;
  }
  return { call, delaysMs, reason: 'sent again' };
}

describe('a request with a key', () => {
  test.each<[what: string, status: number, reason: string]>([
    ['in progress', 409, 'sent again'],
    ['used with another body', 422, 'final'],
    ['missing or malformed', 400, 'final'],
    ['another failure', 404, 'final'],
    ['a failure of the server', 500, 'sent again'],
    ['a success', 201, 'success'],
  ])('%s: %s is %s', async (_, status, reason) => {
    expect((await play([answer(status)])).reason).toBe(reason);
  });

  test('is final with a 422 and a 400 even if the policy and the server say otherwise', async () => {
    for (const status of [422, 400]) {
      const policy: PolicyOptions = { classify: () => 'transient' };
      const wants = { 'x-should-retry': 'true' };
      expect((await play([answer(status, wants)], { policy })).reason).toBe('final');
    }
  });

  test('waits a second after a 409, or as long as the server, the option or the backoff says', async () => {
    expect((await play([answer(409)])).delaysMs).toEqual([1_000]);
    expect((await play([answer(409, { 'retry-after': '3' })])).delaysMs).toEqual([3_000]);
    expect((await play([answer(409)], { options: { waitMs: 40 } })).delaysMs).toEqual([40]);
    expect((await play([answer(409)], { options: { waitMs: 1 } })).delaysMs).toEqual([10]);
    // The wait is about a 409 alone.
    expect((await play([answer(500)])).delaysMs).toEqual([10]);
  });

  test('that a hook has changed counts as none', async () => {
    const policy: PolicyOptions = {
      idempotencyKey: true,
      beforeAttempt: () => ({ 'idempotency-key': 'other' }),
    };
    expect((await play([answer(409)], { policy, request: bare })).reason).toBe('final');
  });
});

test.each([409, 422, 400])('a %s without a key is left alone', async (status) => {
  const policy: PolicyOptions = { classify: () => 'transient', methods: 'all' };
  for (const request of [bare, keyed(' ')]) {
    expect(await play([answer(status)], { policy, request })).toMatchObject({
      reason: 'sent again',
      delaysMs: [10],
    });
    expect((await play([answer(status, saved)], { request })).call.history[0]).not.toHaveProperty('replayed');
  }
});

test('the answer of the target of a redirect, and to a nested client, is left alone', async () => {
  expect((await play([answer(409, {}, { redirected: true })])).reason).toBe('final');
  const request = keyed();
  const { call } = callTo({ plugins: [idempotencyAnswers()] }, [], outerOf(request), request as never);
  call.next();
  expect(call.ended(answer(200, saved), () => ({}) as never)).toMatchObject({
    reason: 'outer-client-retries',
  });
  expect(call.history[0]).not.toHaveProperty('replayed');
});

test('a verdict of another plugin stays', async () => {
  const other = (advice: InspectAdvice) => pluginOf({ judge: () => advice });
  const final = { plugins: [other({ verdict: 'final' })] };
  expect((await play([answer(409)], { policy: final })).reason).toBe('final');
  const again = { plugins: [other({ verdict: 'transient' })] };
  expect((await play([answer(422)], { policy: again })).reason).toBe('sent again');
  expect((await play([answer(409)], { policy: { plugins: [other({ waitMs: 5 })] } })).delaysMs).toEqual([
    1_000,
  ]);
});

describe('a saved answer', () => {
  const marks = async (...played: Parameters<typeof play>) =>
    (await play(...played)).call.history.map(({ status, replayed }) => [status, replayed]);

  test.each<[text: string, mark: true | undefined]>([
    ['true', true],
    [' True ', true],
    ['?1', true],
    ['false', undefined],
    ['?0', undefined],
    ['untrue', undefined],
    ['', undefined],
    [`true${' '.repeat(300)}`, undefined],
  ])('is one with the header %j: %s', async (text, mark) => {
    expect(await marks([answer(200, { 'idempotent-replayed': text })])).toEqual([[200, mark]]);
  });

  test('is not that of a skipped attempt with the same number', async () => {
    let taken = 0;
    const skips = limitOf({
      take() {
        taken += 1;
        return taken === 2 ? { skip: true, delayMs: 10 } : undefined;
      },
    });
    expect(await marks([lost, answer(201, saved)], { policy: { limits: [skips] } })).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [201, true],
    ]);
  });

  test('has the header of the option', async () => {
    const options = { replayedHeader: 'X-Saved' };
    expect(await marks([answer(200, { 'x-saved': 'true' })], { options })).toEqual([[200, true]]);
    expect(await marks([answer(200, saved)], { options })).toEqual([[200, undefined]]);
  });

  test('is final if it is an error', async () => {
    expect((await play([answer(500, saved)])).reason).toBe('final');
    expect(await marks([answer(503), answer(500, saved)])).toEqual([
      [503, undefined],
      [500, true],
    ]);
  });
});

test('a wrong option is a TypeError or RangeError that names it', () => {
  expect(() => idempotencyAnswers({ replayedHeader: 'a b' })).toThrow('idempotencyAnswers: replayedHeader');
  expect(() => idempotencyAnswers({ waitMs: -1 })).toThrow('idempotencyAnswers: waitMs');
  expect(() => idempotencyAnswers({ wait: 1 } as never)).toThrow('wait');
});
