import { likeKy } from '@ebb/compat';
import { createFetch } from '@ebb/fetch';
import fc from 'fast-check';
import ky, { type KyInstance, type Options } from 'ky';
import { describe, expect, test, vi } from 'vitest';
import { fakeTime } from '../fake-time.ts';
import { fetchOf, type Played, play, type Step } from './play.ts';

fakeTime();

const URL_OF_ALL = 'http://upstream.test/a';

interface Case {
  readonly steps: readonly Step[];
  /** Options of the client, of one that extends it, and of the request. */
  readonly client?: Options;
  readonly extended?: Options;
  readonly request?: Options;
}

/** A fetch that ends with the reason of its signal. */
function abortable(base: typeof fetch): typeof fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const { signal } = new Request(input, init);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      base(input, init).then(resolve, reject);
    });
}

function both({ steps, client = {}, extended, request }: Case): Promise<readonly [Played, Played]> {
  const run = (isOriginal: boolean): Promise<Played> =>
    play(steps, async (upstream) => {
      let draws = 0;
      const random = (): number => {
        draws += 1;
        return (draws * 0.25) % 1;
      };
      vi.spyOn(Math, 'random').mockImplementation(random);
      const fetch = abortable(fetchOf(upstream));
      const library: KyInstance = isOriginal
        ? ky
        : likeKy(ky, (options, base) => createFetch({ ...options, random }, base));
      const made = library.create({ ...client, fetch });
      return (extended ? made.extend(extended) : made)(URL_OF_ALL, request);
    });
  return run(true).then(async (original) => [original, await run(false)]);
}

async function expectAlike(one: Case): Promise<void> {
  const [original, ebb] = await both(one);
  expect(ebb).toEqual(original);
}

const [GOOD, LOST, BUSY]: readonly Step[] = [{ status: 200 }, { code: 'ECONNRESET' }, { status: 503 }];
const [good, lost, busy] = [GOOD as Step, LOST as Step, BUSY as Step];

describe('as ky does', () => {
  test.each<[string, Case]>([
    ['two retries', { steps: [busy] }],
    ['of lost connections', { steps: [lost, lost, good] }],
    ['of no POST', { steps: [busy], request: { method: 'post' } }],
    [
      'of a POST among the methods',
      { steps: [busy], client: { retry: { methods: ['post'] } }, request: { method: 'post' } },
    ],
    ['of none of its own statuses', { steps: [{ status: 404 }] }],
    ['of other statuses', { steps: [{ status: 404 }, good], client: { retry: { statusCodes: [404] } } }],
    ['a 413 that does not say when', { steps: [{ status: 413 }, good] }],
    ['a redirect that is not followed', { steps: [{ status: 304 }] }],
    ['of a number', { steps: [busy], client: { retry: 4 } }],
    ['a request without', { steps: [busy], client: { retry: { limit: 4 } }, request: { retry: 0 } }],
    [
      'a request with a part',
      { steps: [busy], client: { retry: { limit: 4 } }, request: { retry: { delay: () => 70 } } },
    ],
    [
      'a client that extends a number',
      { steps: [busy], client: { retry: 3 }, extended: { retry: { backoffLimit: 400 } } },
    ],
    ['a longest delay', { steps: [busy], client: { retry: { limit: 5, backoffLimit: 1_000 } } }],
    ['drawn delays', { steps: [busy], client: { retry: { limit: 5, jitter: true } } }],
    ['drawn by a function', { steps: [busy], client: { retry: { jitter: (ms) => ms - 400 } } }],
    ['a status that is no error', { steps: [busy, good], client: { throwHttpErrors: false } }],
    [
      'an error by a function',
      { steps: [busy, { status: 500 }], client: { throwHttpErrors: (status) => status === 503 } },
    ],
    ['in time', { steps: [{ status: 200, takesMs: 9_999 }] }],
    [
      'with a longer timeout of the request',
      { steps: [{ status: 200, takesMs: 15_000 }], request: { timeout: 20_000 } },
    ],
    ['without a timeout', { steps: [{ status: 200, takesMs: 15_000 }], client: { timeout: false } }],
    [
      'of a timeout',
      { steps: [{ status: 200, takesMs: 15_000 }, good], client: { retry: { retryOnTimeout: true } } },
    ],
  ])('%s', (_, one) => expectAlike(one));

  test('a late response is a TimeoutError', async () => {
    const [original, ebb] = await both({ steps: [{ status: 200, takesMs: 15_000 }] });
    for (const { end, endedMs, sentMs } of [original, ebb])
      expect({ end, endedMs, sentMs }).toMatchObject({
        end: { name: 'TimeoutError' },
        endedMs: 10_000,
        sentMs: [0],
      });
  });

  test('a Retry-After is waited for, up to the longest', async () => {
    const asks: Step = { status: 503, headers: { 'retry-after': '3' } };
    for (const [retry, waitMs] of [
      [{}, 3_000],
      [{ maxRetryAfter: 2_000 }, 2_000],
    ] as const) {
      const [original, ebb] = await both({ steps: [asks, good], client: { retry } });
      expect(original.sentMs).toEqual([0, waitMs + 5]);
      expect(ebb.sentMs[1]).toBeGreaterThanOrEqual(waitMs + 5);
      expect(ebb.sentMs[1]).toBeLessThanOrEqual(waitMs * 1.2 + 5);
    }
  });

  test('whatever the options and the responses are', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          steps: fc.array(
            fc.constantFrom(
              good,
              lost,
              busy,
              { status: 429 },
              { status: 404 },
              { status: 500, takesMs: 700 },
            ),
            { minLength: 1, maxLength: 6 },
          ),
          client: fc.record(
            {
              retry: fc.constantFrom<NonNullable<Options['retry']>[]>(
                ...[0, 3, { limit: 4 }, { methods: ['get', 'post'] }, { limit: 1, statusCodes: [404] }],
              ),
              throwHttpErrors: fc.boolean(),
            },
            { requiredKeys: [] },
          ),
          extended: fc.record({ retry: fc.constantFrom(1, { backoffLimit: 500 }) }, { requiredKeys: [] }),
          request: fc.record(
            {
              retry: fc.constantFrom(0, 2, { delay: () => 50 }),
              method: fc.constantFrom('get', 'post', 'put'),
            },
            { requiredKeys: [] },
          ),
        }),
        expectAlike,
      ),
      { numRuns: 150 },
    ));
});
