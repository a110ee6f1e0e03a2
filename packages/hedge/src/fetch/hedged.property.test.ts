import {
  type Attempt,
  attemptsOf,
  concurrencyLimit,
  createPolicy,
  type EbbEvent,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { hedged } from '../fetch.ts';

/** What one send does. */
interface Plan {
  readonly ms: number;
  /** A status, an error (0), or an error after a long time (-1). */
  readonly ends: number;
  /** Ignores its signal. */
  readonly isDeaf: boolean;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  ms: fc.integer({ min: 0, max: 40 }),
  ends: fc.constantFrom(200, 200, 200, 404, 429, 503, 0, -1),
  isDeaf: fc.boolean(),
});

const call = fc.record({
  atMs: fc.integer({ min: 0, max: 100 }),
  abortMs: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
});

const setup = fc.record({
  plans: fc.array(plan, { minLength: 1, maxLength: 30 }),
  calls: fc.array(call, { minLength: 1, maxLength: 8 }),
  slots: fc.integer({ min: 1, max: 4 }),
  tokens: fc.integer({ min: 4, max: 40 }),
  reserve: fc.integer({ min: 0, max: 6 }),
  maxHedges: fc.integer({ min: 1, max: 3 }),
  maxRetries: fc.integer({ min: 0, max: 2 }),
  hasTimeout: fc.boolean(),
});

test('however events fall together: every call ends, nothing is lost or leaks, and no more is sent than was paid for', async () => {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  onTestFinished(() => void process.off('unhandledRejection', onRejection));

  const run = async (given: typeof setup extends fc.Arbitrary<infer T> ? T : never): Promise<void> => {
    const clock = virtualClock({ startMs: 0 });
    const bodies = { open: 0 };
    const sent: { aborted: boolean; settled: boolean }[] = [];
    const base = (_: unknown, { signal }: RequestInit = {}): Promise<Response> => {
      const { ms, ends, isDeaf } = given.plans[sent.length % given.plans.length] as Plan;
      const one = { aborted: false, settled: false };
      sent.push(one);
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          one.settled = true;
          if (ends < 200) {
            reject(new TypeError('reset', { cause: { code: 'ECONNRESET' } }));
            return;
          }
          bodies.open += 1;
          let isOpen = true;
          const close = (): void => {
            if (isOpen) bodies.open -= 1;
            isOpen = false;
          };
          const body = new ReadableStream(
            {
              pull(controller) {
                close();
                controller.close();
              },
              cancel: close,
            },
            { highWaterMark: 0 },
          );
          resolve(new Response(body, { status: ends }));
        };
        const cancel = clock.schedule(settle, ends < 0 ? 500 : ms);
        signal?.addEventListener('abort', () => {
          one.aborted = true;
          if (isDeaf) return;
          cancel();
          if (!one.settled) reject(signal.reason);
          one.settled = true;
        });
      });
    };
    const bucket = tokenBucket({
      capacity: given.tokens,
      refillPerSecond: 1e-6,
      nonConforming: 'reject',
      clock,
    });
    const concurrency = concurrencyLimit({ maxConcurrent: given.slots, clock });
    const budget = retryBudget({ reserve: given.reserve, ratio: 0, clock });
    const events: EbbEvent[] = [];
    const policy = createPolicy({
      bucket,
      concurrency,
      budget,
      clock,
      maxRetries: given.maxRetries,
      backoff: () => 3,
      onEvent: (event) => void events.push(event),
      ...(given.hasTimeout && { attemptTimeoutMs: 30 }),
    });
    const fetch = createFetch(
      policy,
      hedged(base, { policy, delayMs: 5, maxHedges: given.maxHedges, share: 1 }),
    );
    let most = 0;
    const histories: (readonly Attempt[])[] = [];
    const calls = given.calls.map(async ({ atMs, abortMs }) => {
      await clock.sleep(atMs);
      const abort = new AbortController();
      // Ends what would never end.
      const cancel = clock.schedule(() => abort.abort(new Error('enough')), abortMs ?? 1_000);
      try {
        const response = await fetch('https://a.test/', { signal: abort.signal });
        most = Math.max(most, concurrency.stats().inUse);
        histories.push(attemptsOf(response));
        await response.text().catch(() => undefined);
      } catch (error) {
        histories.push(attemptsOf(error));
      }
      cancel();
    });
    await clock.runUntilSettled(Promise.all(calls));
    await clock.advance(2_000);

    const hedges = events.filter((event) => event.type === 'hedge' && event.sent).length;
    const attempts = events.filter(({ type }) => type === 'attempt').length;
    const retries = events.filter(({ type }) => type === 'retry').length;
    expect(sent.length).toBe(attempts + hedges);
    expect(hedges).toBeLessThanOrEqual(attempts * given.maxHedges);
    // Conservation: a token for each send, and a retry of the budget for each hedge and each retry that was sent.
    expect(Math.floor(bucket.stats().tokens + 1e-3)).toBe(given.tokens - sent.length);
    expect(budget.balance).toBeGreaterThanOrEqual(given.reserve - hedges - retries);
    expect(budget.balance).toBeLessThanOrEqual(given.reserve - hedges);
    expect(concurrency.stats()).toMatchObject({ inUse: 0, waiting: 0 });
    expect(most).toBeLessThanOrEqual(given.slots);
    // Nothing goes on: every send has settled or was aborted, no body is open, no timer waits.
    expect(sent.every(({ aborted, settled }) => aborted || settled)).toBe(true);
    expect([bodies.open, clock.pending]).toEqual([0, 0]);
    for (const history of histories)
      for (const { hedges: some = [] } of history)
        expect(some.filter(({ won }) => won).length).toBeLessThanOrEqual(1);
  };

  await fc.assert(fc.asyncProperty(setup, run), { numRuns: 100 });
  expect(rejections).toEqual([]);
});
