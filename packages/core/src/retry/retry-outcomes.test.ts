import { describe, expect, test } from 'vitest';
import { constant } from '../backoff/curves.ts';
import { attemptsOf } from '../call/history.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { virtualClock } from '../testing.ts';
import { type AttemptResult, retry } from './retry.ts';

const once: PolicyOptions = { maxRetries: 0 };
const twice: PolicyOptions = { maxRetries: 1, backoff: constant(0) };
const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail(),
    (error) => error,
  );
const failing = (error: unknown) => () => Promise.reject(error);

test.each<[members: object, status: number | undefined]>([
  [{ status: 400 }, 400],
  [{ status: 599 }, 599],
  [{ status: 399 }, undefined],
  [{ status: 600 }, undefined],
  [{ status: '503' }, undefined],
  [{ statusCode: 404 }, 404],
  [{ status: 404, statusCode: 503 }, 404],
  [{ status: 7, statusCode: 503 }, 503],
  [{ response: { status: 404 } }, 404],
  [{ response: { statusCode: 404 } }, 404],
  [{ statusCode: 503, response: { status: 404 } }, 503],
  [{ response: { status: 404, statusCode: 503 } }, 404],
  [{ $metadata: { httpStatusCode: 404 } }, 404],
  [{ response: { statusCode: 404 }, $metadata: { httpStatusCode: 503 } }, 404],
  [{ response: null, $metadata: null }, undefined],
])('the status of an error with %j is %s', async (members, status) => {
  const error = Object.assign(new Error('no'), members);
  expect(await thrownBy(retry(failing(error), once))).toBe(error);
  const [attempt] = attemptsOf(error);
  expect([attempt?.status, attempt?.failure]).toEqual([status, status === undefined ? 'unknown' : undefined]);
});

test.each<[name: string, verdict: string]>([
  ...['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'].map((name): [string, string] => [
    name,
    'final',
  ]),
  ...['Error', 'EvalError', 'MyTypeError', 'TypeErrors'].map((name): [string, string] => [
    name,
    'retries-exhausted',
  ]),
])('an error with the name %s is %s', async (name, verdict) => {
  const error = Object.assign(new Error('no'), { name });
  await thrownBy(retry(failing(error), twice));
  expect(attemptsOf(error).at(-1)?.reason).toBe(verdict);
});

test.each<[story: string, call: () => unknown, asked: string[]]>([
  ['no value', () => ({}), []],
  ['an error', failing(new Error('no')), ['failure unknown']],
  ['an error with a status', failing(Object.assign(new Error('no'), { status: 503 })), ['response 503']],
  ['a mistake', failing(new TypeError('no')), ['failure unknown']],
  ['a timeout', () => new Promise(() => undefined), ['failure timeout']],
])('a rule of its own is asked of %s', async (_, call, asked) => {
  const seen: string[] = [];
  const classify: NonNullable<PolicyOptions['classify']> = (outcome, { method, url }, attempt) => {
    expect([method, url, attempt]).toEqual(['GET', '', 1]);
    seen.push(`${outcome.type} ${outcome.type === 'response' ? outcome.status : outcome.kind}`);
    return 'final';
  };
  const clock = virtualClock({ startMs: 0 });
  const called = retry(call, { ...once, classify, clock, attemptTimeoutMs: 100 }).catch(() => undefined);
  await clock.advance(100);
  await called;
  expect(seen).toEqual(asked);
});

describe('judge', () => {
  test.each<[story: string, call: () => unknown, given: (error: unknown) => AttemptResult<unknown>[]]>([
    ['a value', () => 5, () => [{ type: 'value', value: 5 }]],
    ['no value', () => undefined, () => [{ type: 'value', value: undefined }]],
    ['an error', failing(new Error('no')), (error) => [{ type: 'error', error }]],
    [
      'an error with a status',
      failing(Object.assign(new Error('no'), { status: 400 })),
      (error) => [{ type: 'error', error }],
    ],
    ['no abort', failing(new DOMException('no', 'AbortError')), () => []],
  ])('is given %s', async (_, call, given) => {
    const seen: unknown[] = [];
    const judge = (settled: AttemptResult<unknown>, attempt: number): undefined => {
      expect(attempt).toBe(1);
      seen.push(settled);
    };
    const error = await retry(call, once, { judge }).catch((thrown: unknown) => thrown);
    expect(seen).toEqual(given(error));
  });

  test('is given each attempt as it has ended', async () => {
    const seen: unknown[] = [];
    let calls = 0;
    const error = Object.assign(new Error('no'), { status: 503 });
    const call = (): number => {
      calls += 1;
      if (calls === 1) throw error;
      return calls;
    };
    const judge = (settled: AttemptResult<number>, attempt: number) => {
      seen.push([attempt, settled]);
      return 'transient' as const;
    };
    expect(await retry(call, twice, { judge })).toBe(2);
    expect(seen).toEqual([
      [1, { type: 'error', error }],
      [2, { type: 'value', value: 2 }],
    ]);
  });
});

describe('the signal of an attempt', () => {
  test('is not aborted by the end of its function', async () => {
    const signals: AbortSignal[] = [];
    const call = ({ signal }: { signal: AbortSignal }): never => {
      signals.push(signal);
      throw new Error('no');
    };
    await thrownBy(retry(call, twice));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    expect(signals[0]).not.toBe(signals[1]);
  });

  test('is aborted with the error of its timeout, of which the history knows', async () => {
    const clock = virtualClock({ startMs: 0 });
    let given: AbortSignal | undefined;
    const call = ({ signal }: { signal: AbortSignal }): Promise<never> => {
      given = signal;
      return new Promise(() => undefined);
    };
    const thrown = thrownBy(retry(call, { ...once, clock, attemptTimeoutMs: 100 }));
    await clock.advance(99);
    expect(given?.aborted).toBe(false);
    await clock.advance(1);
    expect(given?.reason).toBe(await thrown);
    expect(attemptsOf(await thrown)).toMatchObject([{ failure: 'timeout', reason: 'retries-exhausted' }]);
  });

  test('an error after a timeout is judged by itself', async () => {
    const clock = virtualClock({ startMs: 0 });
    const error = Object.assign(new Error('no'), { status: 400 });
    const call = ({ attempt }: { attempt: number }): Promise<never> =>
      attempt === 1 ? new Promise(() => undefined) : Promise.reject(error);
    const thrown = thrownBy(retry(call, { ...twice, clock, attemptTimeoutMs: 100 }));
    await clock.advance(200);
    expect(await thrown).toBe(error);
    expect(attemptsOf(error).map(({ failure, status }) => failure ?? status)).toEqual(['timeout', 400]);
  });
});

/** The signal of another library. */
const foreign = { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined };

test.each([5, {}, null, foreign])('%j is no signal, and no judge', async (given) => {
  const call = (): never => expect.fail('called');
  await expect(retry(call, {}, { signal: given as never })).rejects.toThrow(
    'retry: signal must be an AbortSignal of the runtime',
  );
  await expect(retry(() => 1, {}, { judge: given as never })).rejects.toThrow(
    'retry: judge must be a function',
  );
});
