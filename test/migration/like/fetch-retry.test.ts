import { likeFetchRetry } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';
import fc from 'fast-check';
import fetchRetry from 'fetch-retry';
import { describe, expect, test } from 'vitest';
import { fakeTime } from '../fake-time.ts';
import { fetchOf, type Played, play, type Step } from './play.ts';

fakeTime();

type Judged = Pick<Response, 'status' | 'ok'> & { headers: { get(name: string): string | null } };
type Function = (attempt: number, error: Error | null, response: Judged | null) => number | boolean;

interface Case {
  readonly steps: readonly Step[];
  readonly retries?: number | undefined;
  readonly delay?: number | keyof typeof DELAYS | undefined;
  readonly on?: readonly number[] | keyof typeof CONDITIONS | undefined;
  readonly method?: string;
}

const DELAYS = {
  doubling: ((attempt) => 2 ** attempt * 100) as Function,
  'by the outcome': ((_, error, response) => error?.message.length ?? response?.status ?? 0) as Function,
  'by a header': ((_, __, response) => Number(response?.headers.get('Retry-After')) * 1_000) as Function,
  'no number': (() => undefined as never) as Function,
};

const CONDITIONS = {
  'three times': ((attempt, error, response) => attempt < 3 && (error !== null || !response?.ok)) as Function,
  'seven times': ((attempt) => attempt < 7) as Function,
  never: (() => false) as Function,
  'one that throws': (() => {
    throw new Error('no idea');
  }) as Function,
  'one that throws later': ((attempt) => {
    if (attempt > 0) throw new Error('no idea');
    return true;
  }) as Function,
  'a failure alone': ((attempt, error) => attempt < 2 && error !== null) as Function,
  'as long as it is 503': ((_, __, response) => response?.status === 503) as Function,
};

function both({ steps, retries, delay, on, method = 'GET' }: Case): Promise<readonly [Played, Played]> {
  const run = (isOriginal: boolean): Promise<Played> =>
    play(steps, (upstream, log) => {
      const telling =
        (name: string, call: Function): Function =>
        (attempt, error, response) => {
          log.push([name, attempt, error?.message, response?.status, upstream.atMs]);
          return call(attempt, error, response);
        };
      const options = {
        ...(retries !== undefined && { retries }),
        ...(delay !== undefined && {
          retryDelay: typeof delay === 'number' ? delay : (telling('delay', DELAYS[delay]) as () => number),
        }),
        ...(on !== undefined && {
          retryOn: typeof on === 'string' ? (telling('on', CONDITIONS[on]) as () => boolean) : [...on],
        }),
      };
      const base = fetchOf(upstream);
      const client = isOriginal ? fetchRetry(base, options) : createFetch(likeFetchRetry(options), base);
      return client('http://upstream.test/a', { method });
    });
  return run(true).then(async (original) => [original, await run(false)]);
}

async function expectAlike(one: Case): Promise<void> {
  const [original, ebb] = await both(one);
  expect(ebb).toEqual(original);
}

const [GOOD, LOST]: readonly Step[] = [{ status: 200 }, { code: 'ECONNRESET' }];
const asks: Step = { status: 503, headers: { 'retry-after': '3' } };

describe('as fetch-retry does', () => {
  test.each<[string, Case]>([
    ['a 503 is the answer', { steps: [{ status: 503 }, GOOD as Step] }],
    ['lost connections, three times', { steps: [LOST as Step] }],
    ['of a POST', { steps: [LOST as Step, GOOD as Step], method: 'POST' }],
    ['of a certificate', { steps: [{ code: 'CERT_HAS_EXPIRED' }, GOOD as Step] }],
    ['statuses in a list', { steps: [asks], on: [503] }],
    ['a 200 in a list', { steps: [{ status: 200 }, { status: 201 }], on: [200] }],
    ['a status that is not', { steps: [{ status: 500 }], on: [503] }],
    ['an error of a function about a success', { steps: [GOOD as Step], on: 'one that throws' }],
    ['about a failing status', { steps: [{ status: 503 }], on: 'one that throws' }],
    ['about a lost connection', { steps: [LOST as Step], on: 'one that throws' }],
    ['about a second response', { steps: [{ status: 503 }, GOOD as Step], on: 'one that throws later' }],
    ['a function instead of retries', { steps: [{ status: 503 }], retries: 1, on: 'seven times' }],
    [
      'as long as it says',
      { steps: [asks, asks, asks, asks, asks, GOOD as Step], on: 'as long as it is 503' },
    ],
    ['a wait by a header', { steps: [asks, GOOD as Step], on: [503], delay: 'by a header' }],
    ['no wait', { steps: [LOST as Step], delay: 0 }],
    ['a wait that is none', { steps: [LOST as Step], delay: 'no number' }],
    ['no retries', { steps: [LOST as Step], retries: 0 }],
  ])('%s', (_, one) => expectAlike(one));

  const statuses = [200, 204, 400, 404, 429, 500, 503] as const;
  const step = fc.oneof(
    fc.constantFrom<Step>(GOOD as Step, LOST as Step, { code: 'ENOTFOUND' }, asks),
    fc.record({
      status: fc.constantFrom(200, 400, 404, 429, 500, 503),
      takesMs: fc.integer({ min: 1, max: 90 }),
    }),
  );

  test('whatever the options and the answers are', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          // The last step goes on, and must end what has no end of its own.
          steps: fc.array(step, { maxLength: 6 }).map((steps) => [...steps, GOOD as Step]),
          retries: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
          delay: fc.oneof(
            fc.constantFrom(undefined, 0, 50, 2_000),
            fc.constantFrom(...(Object.keys(DELAYS) as (keyof typeof DELAYS)[])),
          ),
          on: fc.oneof(
            fc.constant(undefined),
            fc.subarray([...statuses]),
            fc.constantFrom(...(Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[])),
          ),
          method: fc.constantFrom('GET', 'POST', 'DELETE'),
        }),
        expectAlike,
      ),
      { numRuns: 150 },
    ));
});

test('a response whose retryOn throws is cancelled', async () => {
  const cancelled: unknown[] = [];
  const body = new ReadableStream({ cancel: () => void cancelled.push('cancelled') });
  const retryOn = (): never => {
    throw new Error('no idea');
  };
  const client = createFetch(likeFetchRetry({ retryOn }), async () => new Response(body));
  await expect(client('http://upstream.test/a')).rejects.toThrow('no idea');
  expect(cancelled).toEqual(['cancelled']);
});
