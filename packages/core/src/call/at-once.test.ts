import diagnostics from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { countClient } from '#nested';
import { outerOf, REQUEST } from '../../test/call-with-limits.ts';
import { constant } from '../backoff/curves.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { AroundCalls } from '../nested/outer-call.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { createPolicy } from '../policy/policy.ts';
import { virtualClock } from '../testing.ts';
import { goOnAfter, isSuccess, mayBeSentAtOnce } from './at-once.ts';
import { Call } from './call.ts';
import { attemptsOf, setHistory } from './history.ts';
import { run } from './run.ts';
import { sendWithin, type Transport } from './transport.ts';

interface Result {
  readonly status?: unknown;
}

const clock = virtualClock({ startMs: 0 });
const policy = createPolicy({ clock, backoff: constant(0), maxRetries: 1 });

/** A request that sends itself. */
function requestThat(send: (call: Call) => Promise<Result>): RequestTraits & Transport<Result> {
  return {
    ...REQUEST,
    send,
    outcome: ({ status }) => ({ type: 'response', status: status as number, header: () => undefined }),
    failure: (error) => ({ type: 'failure', kind: 'network', error }),
    setAside: () => undefined,
  };
}

/** A call whose first attempt has settled with this before it was made, and all later ones with a 200. */
function callOf(first: Result | Error, outer?: AroundCalls) {
  const seen = { made: 0, sent: 0 };
  const make = () => {
    seen.made += 1;
    return requestThat(async ({ attempt }) => {
      seen.sent = attempt;
      return { status: 200 };
    });
  };
  const failed = first instanceof Error;
  const isOver = !failed && isSuccess(first, outer);
  return { seen, result: isOver ? first : goOnAfter(policy, 'socket', make(), first, outer, failed) };
}

const reasonsOf = (value: unknown) => attemptsOf(value).map(({ reason }) => reason);

describe('a call may be sent at once', () => {
  test.each<[options: PolicyOptions, may: boolean]>([
    [{}, true],
    [{ attemptTimeoutMs: 5 }, false],
  ])('with the policy %j: %s', (options, may) => {
    expect(mayBeSentAtOnce(createPolicy({ clock, ...options }), 'socket')).toBe(may);
  });

  test.each(['attempt', 'end'])('if no one listens to %s', (type) => {
    const listen = () => undefined;
    diagnostics.subscribe(`ebb:${type}`, listen);
    const heard = mayBeSentAtOnce(policy, 'socket');
    diagnostics.unsubscribe(`ebb:${type}`, listen);
    expect([heard, mayBeSentAtOnce(policy, 'socket')]).toEqual([false, true]);
  });

  test('unless it is within another', async () => {
    const within: boolean[] = [];
    const request = requestThat((call) =>
      sendWithin(call, async () => {
        within.push(mayBeSentAtOnce(policy, 'socket'));
        await Promise.resolve();
        within.push(mayBeSentAtOnce(policy, 'socket'));
        return { status: 200 };
      }),
    );
    await run(new Call(policy, request, undefined, 'function'), request);
    expect([...within, mayBeSentAtOnce(policy, 'socket')]).toEqual([false, false, true]);
  });

  test('also if another may be below it, which finds it by the async context', () => {
    countClient();
    countClient();
    const ways = ['socket', 'client', 'function'] as const;
    expect(ways.map((way) => mayBeSentAtOnce(policy, way))).toEqual([true, true, true]);
  });
});

describe('the first attempt', () => {
  test.each([200, 399])('with a status of %i ends the call, and no request is made', async (status) => {
    const first = { status };
    const { seen, result } = callOf(first);
    expect(await result).toBe(first);
    expect([reasonsOf(first), seen]).toEqual([['success'], { made: 0, sent: 0 }]);
  });

  test.each<[what: string, first: Result | Error, reasons: string[], sent: number]>([
    ['an error of the server', { status: 503 }, ['transient', 'success'], 2],
    ['an error', new Error('reset'), ['transient', 'success'], 2],
    ['a status of 400', { status: 400 }, ['final'], 0],
    ['a status that is no number', { status: '200' }, ['success'], 0],
  ])('that comes to %s is judged as any other', async (_, first, reasons, sent) => {
    const { seen, result } = callOf(first);
    expect(reasonsOf(await result)).toEqual(reasons);
    expect(seen).toEqual({ made: 1, sent });
  });

  test.each([{ status: 200 }, { status: 404 }])(
    'that has settled with %j is no more around others',
    (first) => {
      const outer = outerOf(REQUEST) as AroundCalls;
      callOf(first, outer);
      expect(outer.isOpen).toBe(false);
    },
  );

  test('that failed with a request within that was repeated is the last', () => {
    const outer = Object.assign(outerOf(REQUEST) as AroundCalls, { hasFailed: true });
    const inner = new Error('reset');
    setHistory(inner, [{ attempt: 1, delayMs: 0, waitedMs: 0, reason: 'final' }]);
    const error = new Error('reset', { cause: inner });
    expect(() => callOf(error, outer)).toThrow(error);
    expect(reasonsOf(error)).toEqual(['inner-client-retried']);
    expect(outer.isOpen).toBe(false);
  });
});
