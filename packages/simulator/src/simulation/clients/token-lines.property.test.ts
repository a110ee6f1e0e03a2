/**
 * Holds the simulator's lines of waiting requests (`TokenLines` and the events of `Clients`) against core's
 * `tokenBucket`. Both get the same random requests: new ones and retries, at any times, with the cost of the fleet,
 * deadlines of their own, and any rate, capacity, initial tokens, refill steps, `maxQueue`, `maxWaitMs` and
 * `nonConforming`. Every request must be granted, marked or refused in both, and at the same time. Both kinds of client
 * buckets are compared: numbers, and buckets of core.
 *
 * Pauses (Retry-After) are compared for requests without deadlines. With deadlines the two differ: core refuses a
 * request as soon as a pause outlasts its deadline, the simulator when the deadline has passed.
 *
 * `quota-lines.property.test.ts` does so for buckets of several units. Not simulated, and rejected by `checkScenario`:
 * `priority`, `queue`, `settled` of a bucket of one unit, and costs that differ between requests.
 */
import { NotSentError, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { END_MS, fate, fatesInLines, NEVER, type Pause, tooMany } from '../../../test/watched-lines.ts';
import { SimulationClock } from '../../engine/events.ts';
import { clientBuckets } from './client-buckets.ts';

const gapMs = fc.oneof(fc.constant(0), fc.nat(50), fc.nat(1_000));
const waitMs = fc.oneof(fc.constant(NEVER), fc.constant(0), fc.nat(500), fc.nat(5_000));

/** Cut to the capacity. */
const costs = fc.constantFrom<number[]>(1, 1, 2, 3, 0.5, 0.3);

const rate = {
  refillPerSecond: fc.constantFrom(1, 3, 10, 100),
  capacity: fc.constantFrom(1, 2, 5),
  initialTokens: fc.constantFrom(0, 1),
  refillIntervalMs: fc.constantFrom(0, 0, 200),
};

const trace = fc.record({
  options: fc.record({
    ...rate,
    maxQueue: fc.constantFrom(0, 3, 1_000),
    maxWaitMs: fc.constantFrom(undefined, undefined, 0, 300, 2_000),
    nonConforming: fc.constantFrom(
      'delay' as const,
      'delay' as const,
      'delay' as const,
      'reject' as const,
      'mark' as const,
    ),
  }),
  cost: costs,
  /** `false` makes the simulator's buckets numbers. */
  feedback: fc.constantFrom(undefined, false as const),
  requests: fc.array(fc.record({ gapMs, retry: fc.boolean(), maxWaitMs: waitMs }), {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  }),
  pauses: fc.constant<readonly Pause[]>([]),
});
type Trace = typeof trace extends fc.Arbitrary<infer T> ? T : never;

const pausedTrace: fc.Arbitrary<Trace> = fc.record({
  options: fc.record({
    ...rate,
    maxQueue: fc.constant(1_000),
    maxWaitMs: fc.constant(undefined),
    nonConforming: fc.constant('delay' as const),
  }),
  cost: costs,
  feedback: fc.constant(undefined),
  requests: fc.array(fc.record({ gapMs, retry: fc.boolean(), maxWaitMs: fc.constant(NEVER) }), {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  }),
  pauses: fc.array(fc.record({ gapMs, seconds: fc.integer({ min: 1, max: 5 }) }), {
    minLength: 1,
    maxLength: 5,
  }),
});

/** For each request what happened to it, and when. */
type Fates = readonly string[];

async function inCore({ options, cost, requests, pauses }: Trace): Promise<Fates> {
  const clock = virtualClock({ startMs: 0 });
  const bucket = tokenBucket({ ...options, clock, random: () => 0.5 });
  const fates: Promise<string>[] = [];
  let atMs = 0;
  for (const { gapMs, retry, maxWaitMs } of requests) {
    atMs += gapMs;
    clock.schedule(() => {
      const asked = bucket.acquire({ cost, retry, maxWaitMs: maxWaitMs === NEVER ? undefined : maxWaitMs });
      fates.push(
        asked.then(
          ({ grantedAtMs, conforming }) => fate(conforming ? 'granted' : 'marked', grantedAtMs),
          (error) => {
            if (!(error instanceof NotSentError)) throw error;
            return fate('refused', clock.now());
          },
        ),
      );
    }, atMs);
  }
  atMs = 0;
  for (const { gapMs, seconds } of pauses) {
    atMs += gapMs;
    const grant = { cost, waitedMs: 0, grantedAtMs: atMs, conforming: true, settle() {} };
    clock.schedule(() => void bucket.observe?.(tooMany(seconds), grant), atMs);
  }
  await clock.advance(END_MS);
  return Promise.all(fates);
}

function inSimulator({ options, cost, feedback, requests, pauses }: Trace): Fates {
  const clock = new SimulationClock();
  const use = { cost, actualCost: false };
  const environment = { clock, random: () => 0.5 };
  const buckets = clientBuckets({ tokenBucket: { ...options, feedback } }, 1, use, environment);
  return fatesInLines(clock, buckets, requests, pauses);
}

test.each([
  ['with deadlines and limits', trace, 500],
  ['with pauses', pausedTrace, 300],
] as const)('a line for tokens grants and refuses as core’s bucket does, %s', async (_, traces, numRuns) => {
  await fc.assert(
    fc.asyncProperty(traces, async (trace) => {
      const cost = Math.min(trace.cost, trace.options.capacity);
      expect(inSimulator({ ...trace, cost })).toEqual(await inCore({ ...trace, cost }));
    }),
    { numRuns },
  );
});
