import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ebbInterceptor } from '@ebb/axios';
import { type LikeAxiosRetryOptions, likeAxiosRetry } from '@ebb/compat';
import type { AxiosError } from 'axios';
import axiosRetry from 'axios-retry';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fakeTime } from '../fake-time.ts';
import { axiosOf, type Played, play, type Step } from './play.ts';

fakeTime();

interface Case {
  readonly steps: readonly Step[];
  readonly retries?: number | undefined;
  readonly delay?: keyof typeof DELAYS;
  readonly condition?: keyof typeof CONDITIONS;
  readonly shouldResetTimeout?: boolean | undefined;
  readonly timeout?: number;
  readonly method?: string;
  readonly accepts?: boolean;
}

type Helpers = typeof axiosRetry | typeof likeAxiosRetry;
type Delay = (retryCount: number, error: AxiosError) => number;

const DELAYS = {
  'by default': undefined,
  linear: ({ linearDelay }: Helpers) => linearDelay(70) as Delay,
  squares: () => ((count) => count ** 2 * 100) as Delay,
  'by the error': () => ((_, { code, response }) => (response?.status ?? code?.length ?? 1) * 3) as Delay,
  'none at all': () => (() => Number.NaN) as Delay,
  'more than a timer holds': () => (() => 2 ** 31) as Delay,
  fields: () => ((_, { response }) => Number(response?.headers['x-wait'] ?? 7)) as Delay,
};

type Condition = (error: AxiosError) => boolean;

const CONDITIONS = {
  'by default': undefined,
  network: ({ isNetworkError }: Helpers) => isNetworkError as Condition,
  retryable: ({ isRetryableError }: Helpers) => isRetryableError as Condition,
  safe: ({ isSafeRequestError }: Helpers) => isSafeRequestError as Condition,
  all: () => () => true,
  never: () => () => false,
  null: () => () => null as never,
  'by the status': () => ((error) => error.response?.status === 404) as Condition,
  'by the path': () => ((error) => error.config?.url === '/a' && error.code !== 'ECONNRESET') as Condition,
};

function both({ steps, ...given }: Case): Promise<readonly [original: Played, ebb: Played]> {
  const { retries, delay = 'by default', condition = 'by default', timeout = 0 } = given;
  const { shouldResetTimeout, method = 'get', accepts = false } = given;
  const run = (isOriginal: boolean): Promise<Played> =>
    play(steps, (upstream, log) => {
      const helpers = isOriginal ? axiosRetry : likeAxiosRetry;
      const waits = DELAYS[delay]?.(helpers);
      const decides = CONDITIONS[condition]?.(helpers);
      const tell = (name: string, count: number, { code, message, response, config }: AxiosError) =>
        void log.push([name, count, code, message, response?.status, config?.url, upstream.atMs]);
      const options = {
        ...(retries !== undefined && { retries }),
        ...(shouldResetTimeout !== undefined && { shouldResetTimeout }),
        ...(waits && {
          retryDelay(count: number, error: AxiosError) {
            tell('delay', count, error);
            return waits(count, error);
          },
        }),
        ...(decides && {
          retryCondition(error: AxiosError) {
            tell('condition', 0, error);
            return decides(error);
          },
        }),
        onRetry: (count: number, error: AxiosError) => tell('retry', count, error),
        onMaxRetryTimesExceeded: (error: AxiosError, count: number) => tell('exceeded', count, error),
      };
      const client = axiosOf(upstream, timeout);
      if (isOriginal) axiosRetry(client, options);
      else client.interceptors.request.use(ebbInterceptor(likeAxiosRetry(options)));
      return client.request({ url: '/a', method, ...(accepts && { validateStatus: () => true }) });
    });
  return run(true).then(async (original) => [original, await run(false)]);
}

async function expectAlike(one: Case): Promise<void> {
  const [original, ebb] = await both(one);
  expect(ebb).toEqual(original);
}

const [GOOD, LOST, SLOW]: readonly Step[] = [{ status: 200 }, { code: 'ECONNRESET' }, { takesMs: 400 }];
const after = (field: string): Step => ({ status: 503, headers: { 'retry-after': field } });

describe('as axios-retry does', () => {
  test.each<[string, Case]>([
    ['all is well', { steps: [GOOD as Step] }],
    ['only 503, three times at once', { steps: [{ status: 503 }] }],
    ['a 599, and not a 600', { steps: [{ status: 599 }, { status: 600 }] }],
    ['a POST is not sent again after a 503', { steps: [{ status: 503 }], method: 'post' }],
    ['but after a reset', { steps: [LOST as Step], method: 'post' }],
    ['a name that is not found, with a GET', { steps: [{ code: 'ENOTFOUND' }] }],
    ['and with a POST', { steps: [{ code: 'ENOTFOUND' }], method: 'post' }],
    ['a certificate that has expired', { steps: [{ code: 'CERT_HAS_EXPIRED' }], method: 'post' }],
    ['a certificate, with a GET', { steps: [{ code: 'CERT_HAS_EXPIRED' }, GOOD as Step] }],
    ['a timeout is not', { steps: [SLOW as Step], timeout: 100 }],
    ['a clear timeout is', { steps: [{ code: 'ETIMEDOUT' }], method: 'post' }],
    ['Retry-After in seconds', { steps: [after('2'), after('1.5'), after('0'), GOOD as Step] }],
    ['one that is none', { steps: [after('soon'), after('-1'), after('1, 2'), GOOD as Step] }],
    ['a date', { steps: [after('Sun, 09 Sep 2001 01:46:50 GMT'), GOOD as Step] }],
    ['a date in the past', { steps: [after('Sun, 09 Sep 2001 01:46:30 GMT'), GOOD as Step] }],
    ['a wait that no timer holds', { steps: [after('9999999'), GOOD as Step] }],
    ['an hour', { steps: [after('3600'), GOOD as Step] }],
    [
      'the timeout bounds all attempts',
      { steps: [{ status: 503, takesMs: 60 }, SLOW as Step], timeout: 200 },
    ],
    ['and their waits', { steps: [{ status: 503 }], timeout: 300, delay: 'squares' }],
    [
      'to the millisecond',
      { steps: [{ status: 503, takesMs: 100 }, GOOD as Step], timeout: 200, delay: 'squares' },
    ],
    [
      'unless it is reset',
      {
        steps: [{ status: 503, takesMs: 60 }, { status: 503, takesMs: 190 }, GOOD as Step],
        timeout: 200,
        shouldResetTimeout: true,
      },
    ],
    ['a status that validateStatus accepts', { steps: [{ status: 503 }], accepts: true }],
    ['null is a yes', { steps: [{ status: 404 }, GOOD as Step], condition: 'null' }],
    ['no retries', { steps: [{ status: 503 }], retries: 0 }],
    ['a redirect that is not followed', { steps: [{ status: 304 }], condition: 'all' }],
  ])('%s', (_, one) => expectAlike(one));

  const step = fc.oneof(
    fc.constantFrom<Step>(GOOD as Step, LOST as Step, SLOW as Step, { code: 'ENOTFOUND' }, after('2')),
    fc.record({
      status: fc.constantFrom(304, 400, 404, 408, 429, 500, 503, 599, 600),
      takesMs: fc.integer({ min: 1, max: 120 }),
      headers: fc.constantFrom({}, { 'x-wait': '30' }, { 'retry-after': '1' }),
    }),
  );

  test('whatever the options and the answers are', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          steps: fc.array(step, { minLength: 1, maxLength: 6 }),
          retries: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
          delay: fc.constantFrom(...(Object.keys(DELAYS) as (keyof typeof DELAYS)[])),
          condition: fc.constantFrom(...(Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[])),
          shouldResetTimeout: fc.constantFrom(undefined, true, false),
          timeout: fc.constantFrom(0, 0, 100, 500, 3_000),
          method: fc.constantFrom('get', 'post', 'put', 'head', 'delete', 'patch'),
          accepts: fc.constantFrom(false, false, false, true),
        }),
        expectAlike,
      ),
      { numRuns: 150 },
    ));
});

test('knows every code that a retry does not fix', () => {
  const resolve = createRequire(createRequire(import.meta.url).resolve('axios-retry')).resolve;
  const source = readFileSync(resolve('is-retry-allowed'), 'utf8');
  const codes = [...source.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code ?? '');
  expect(codes.length).toBeGreaterThan(25);
  const more = ['ECONNRESET', 'ECONNABORTED', 'ERR_CANCELED', 'CERT_UNKNOWN', 'XENOTFOUND', ''];
  for (const code of [...codes, ...more]) {
    const error = Object.assign(new Error('x'), { code }) as AxiosError;
    expect([code, likeAxiosRetry.isNetworkError(error)]).toEqual([code, axiosRetry.isNetworkError(error)]);
  }
});

test('takes options that were written for the types of axios-retry', () => {
  const options: LikeAxiosRetryOptions = {
    retries: 3,
    retryCondition: (error: AxiosError) => error.response?.status === 429,
    retryDelay: (count: number, error: AxiosError) => count * Number(error.response?.headers['retry-after']),
  };
  expect(likeAxiosRetry(options).maxRetries).toBe(3);
});

test('the time of the last request is that of the attempt', async () => {
  const key = 'axios-retry';
  const timesOf = (isOriginal: boolean): Promise<Played> =>
    play([{ status: 503, takesMs: 30 }, { status: 503 }, { status: 200 }], async (upstream, log) => {
      const client = axiosOf(upstream, 0);
      const startMs = Date.now();
      const tell = (config: object | undefined): void =>
        void log.push(
          ((config as { [key]?: { lastRequestTime?: number } })?.[key]?.lastRequestTime ?? 0) - startMs,
        );
      const options = {
        retryDelay: () => 500,
        onRetry: (_: number, error: { config?: object | undefined }) => tell(error.config),
      };
      if (isOriginal) axiosRetry(client, options);
      else client.interceptors.request.use(ebbInterceptor(likeAxiosRetry(options)));
      const { status, config } = await client.get('/a');
      tell(config);
      return status;
    });
  const original = await timesOf(true);
  expect(original.log).toEqual([0, 530, 1_035]);
  expect(await timesOf(false)).toEqual(original);
});
