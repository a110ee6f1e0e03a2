import { likePRetry, type PRetryContext } from '@ebb/compat';
import { retry } from '@ebb/core';
import { AxiosError } from 'axios';
import fc from 'fast-check';
import pRetry from 'p-retry';
import { describe, expect, test, vi } from 'vitest';
import { fakeTime } from '../fake-time.ts';
import { type Played, play } from './play.ts';

fakeTime();

/** What a function throws, by its name. */
const THROWN = {
  error: () => new Error('no luck'),
  'a mistake': () => new TypeError('x is not a function'),
  'a RangeError': () => new RangeError('invalid array length'),
  'a lost connection': () => new TypeError('fetch failed'),
  'a lost connection in Chrome': () => new TypeError('Failed to fetch (example.com)'),
  'a lost connection in Safari': () => Object.assign(new TypeError('Load failed'), { stack: undefined }),
  'the words of Safari': () => new TypeError('Load failed'),
  'another name': () => Object.assign(new TypeError('fetch failed'), { name: 'FetchError' }),
  'a broken socket': () => new TypeError('socket hang up'),
  'a certificate': () => new TypeError('fetch failed', { cause: { message: 'x', code: 'CERT_HAS_EXPIRED' } }),
  'a 404 of an SDK': () => Object.assign(new Error('not found'), { status: 404 }),
  'a 503 of an SDK': () =>
    Object.assign(new Error('busy'), { status: 503, headers: { 'retry-after': '100' } }),
  'an AxiosError': () => new AxiosError('no', 'ERR_BAD_REQUEST', undefined, {}, { status: 400 } as never),
  'a timeout of its own': () => new DOMException('This operation was aborted', 'AbortError'),
  'a late response': () => new DOMException('too late', 'TimeoutError'),
  'a text': () => 'no luck' as unknown as Error,
  nothing: () => undefined as unknown as Error,
} as const;

interface Case {
  /** Then it returns. */
  readonly throws: readonly (readonly [keyof typeof THROWN, takesMs: number])[];
  readonly retries?: number | undefined;
  readonly factor?: number | undefined;
  readonly minTimeout?: number | undefined;
  readonly maxTimeout?: number | undefined;
  readonly randomize?: boolean | undefined;
  readonly maxRetryTime?: number | undefined;
  readonly should?: keyof typeof CONDITIONS;
  /** How long each function of the options takes, in milliseconds. */
  readonly waitsMs?: number;
  /** When its signal aborts. */
  readonly abortAtMs?: number;
}

const CONDITIONS = {
  'by default': undefined,
  never: () => false,
  twice: ({ attemptNumber }: PRetryContext) => attemptNumber < 3,
  'by the message': ({ error }: PRetryContext) => error.message !== 'not found',
  'by what is left': ({ retriesLeft, retryDelay }: PRetryContext) => retriesLeft > 1 && retryDelay < 4_000,
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function both({
  throws,
  should = 'by default',
  waitsMs = 0,
  abortAtMs,
  ...given
}: Case): Promise<readonly [Played, Played]> {
  const run = (isOriginal: boolean): Promise<Played> =>
    play(
      throws.map(([code, takesMs]) => ({ code, takesMs })),
      (upstream, log) => {
        let draws = 0;
        const random = (): number => {
          draws += 1;
          return (draws * 0.37) % 1;
        };
        vi.spyOn(Math, 'random').mockImplementation(random);
        const tell = (name: string, { error, ...rest }: PRetryContext): void =>
          void log.push([name, error.message, rest, upstream.atMs]);
        const condition = CONDITIONS[should];
        const controller = new AbortController();
        const abort = (): void => controller.abort(new Error('over'));
        if (abortAtMs === 0) abort();
        else if (abortAtMs !== undefined) setTimeout(abort, abortAtMs);
        const options = {
          ...given,
          ...(abortAtMs !== undefined && { signal: controller.signal }),
          async onFailedAttempt(context: PRetryContext) {
            tell('failed', context);
            if (waitsMs > 0) await sleep(waitsMs);
          },
          ...(condition && {
            async shouldRetry(context: PRetryContext) {
              tell('should', context);
              if (waitsMs > 0) await sleep(waitsMs);
              return condition(context);
            },
          }),
        };
        const call = async (): Promise<string> => {
          const isOver = upstream.sentMs.length >= throws.length;
          const step = await upstream.next();
          if (isOver || step?.code === undefined) return 'done';
          throw THROWN[step.code as keyof typeof THROWN]();
        };
        return isOriginal ? pRetry(call, options) : retry(call, { ...likePRetry(options), random });
      },
    );
  return run(true).then(async (original) => [original, await run(false)]);
}

async function expectAlike(one: Case): Promise<void> {
  const [original, ebb] = await both(one);
  expect(ebb).toEqual(original);
}

const times = (count: number, takesMs = 5): Case['throws'] => Array(count).fill(['error', takesMs]);

describe('as p-retry does', () => {
  test.each<[string, Case]>([
    ['ten retries, doubling', { throws: times(20) }],
    ...(Object.keys(THROWN) as (keyof typeof THROWN)[]).map((name): [string, Case] => [
      name,
      { throws: [[name, 5]] },
    ]),
    ['a factor of 0 is 1', { throws: times(4), factor: 0, minTimeout: 200 }],
    ['a delay that rounds to 0', { throws: times(4), minTimeout: 0.4 }],
    ['a cap that is rounded up', { throws: times(4), minTimeout: 700, maxTimeout: 1_000.2 }],
    ['a cap of 0', { throws: times(4), maxTimeout: 0 }],
    ['what a timer holds', { throws: times(3), minTimeout: 2 ** 31, retries: 1 }],
    ['no wait at an infinite factor', { throws: times(3), minTimeout: 0, factor: 1e300 }],
    ['a time that shortens the last wait', { throws: times(9), maxRetryTime: 5_000 }],
    ['that does not interrupt', { throws: times(9, 2_000), maxRetryTime: 2_000 }],
    ['to the millisecond', { throws: times(9, 500), maxRetryTime: 1_500, minTimeout: 500, factor: 1 }],
    [
      'that ends what has no end',
      { throws: times(99), retries: Number.POSITIVE_INFINITY, maxRetryTime: 9_000 },
    ],
    ['of nothing', { throws: times(3), maxRetryTime: 0 }],
    ['no retries', { throws: times(3), retries: 0 }],
    [
      'a time that its functions take as well',
      { throws: times(9), maxRetryTime: 900, minTimeout: 0, waitsMs: 300, should: 'twice' },
    ],
    [
      'that shortens the last wait after its functions',
      { throws: times(9), maxRetryTime: 2_000, waitsMs: 700, should: 'by what is left' },
    ],
    ['that ends in onFailedAttempt', { throws: times(9), maxRetryTime: 200, minTimeout: 0, waitsMs: 300 }],
    ['an abort before the first attempt', { throws: times(3), abortAtMs: 0 }],
    ['in an attempt that succeeds', { throws: times(1, 100), minTimeout: 50, abortAtMs: 152 }],
    ['in an attempt that fails', { throws: times(3, 100), abortAtMs: 50 }],
    ['in a function of the options', { throws: times(3), abortAtMs: 50, waitsMs: 100, should: 'twice' }],
  ])('%s', (_, one) => expectAlike(one));

  test('whatever the options and the errors are', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          throws: fc.array(
            fc.tuple(
              fc.constantFrom(...(Object.keys(THROWN) as (keyof typeof THROWN)[]), ...Array(9).fill('error')),
              fc.integer({ min: 1, max: 900 }),
            ),
            { maxLength: 8 },
          ),
          retries: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
          factor: fc.constantFrom(undefined, 0, 0.5, 1, 3),
          minTimeout: fc.constantFrom(undefined, 0, 0.4, 10, 333.3),
          maxTimeout: fc.constantFrom(undefined, 0, 1_500, 20_000.5),
          randomize: fc.constantFrom(undefined, true, false),
          maxRetryTime: fc.constantFrom(undefined, 0, 1_000, 5_000),
          should: fc.constantFrom(...(Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[])),
          waitsMs: fc.constantFrom(0, 0, 400),
        }),
        expectAlike,
      ),
      { numRuns: 150 },
    ));
});

test('an abort in a wait ends the call at once, with the last error', async () => {
  const [original, ebb] = await both({ throws: times(3), abortAtMs: 500 });
  expect(original).toMatchObject({ end: { message: 'over' }, endedMs: 500, sentMs: [0] });
  expect(ebb).toEqual({ ...original, end: expect.objectContaining({ message: 'no luck' }) });
});
