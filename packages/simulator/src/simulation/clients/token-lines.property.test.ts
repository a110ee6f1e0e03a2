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
import { tokenBucket } from '@ebb/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import {
  anyPauses,
  anyRequests,
  anyRules,
  fatesInCore,
  fatesInLines,
  type Pause,
} from '../../../test/watched-lines.ts';
import { SimulationClock } from '../../engine/events.ts';
import { clientBuckets } from './client-buckets.ts';

/** Cut to the capacity. */
const costs = fc.constantFrom<number[]>(1, 1, 2, 3, 0.5, 0.3);

const rate = {
  refillPerSecond: fc.constantFrom(1, 3, 10, 100),
  capacity: fc.constantFrom(1, 2, 5),
  initialTokens: fc.constantFrom(0, 1),
  refillIntervalMs: fc.constantFrom(0, 0, 200),
};

const trace = fc.record({
  options: fc.record({ ...rate, ...anyRules }),
  cost: costs,
  /** `false` makes the simulator's buckets numbers. */
  feedback: fc.constantFrom(undefined, false as const),
  requests: anyRequests(true),
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
  requests: anyRequests(false),
  pauses: anyPauses,
});

/** For each request what happened to it, and when. */
type Fates = readonly string[];

const inCore = ({ options, cost, requests, pauses }: Trace): Promise<Fates> =>
  fatesInCore((environment) => tokenBucket({ ...options, ...environment }), cost, requests, pauses);

function inSimulator({ options, cost, feedback, requests, pauses }: Trace): Fates {
  const clock = new SimulationClock();
  const use = { cost, actualCost: false };
  const environment = { clock, random: () => 0.5 };
  const buckets = clientBuckets({ tokenBucket: { ...options, feedback } }, 1, use, environment);
  return fatesInLines(clock, buckets, requests, pauses);
}

test.each([
  ['with deadlines and limits', trace, 250],
  ['with pauses', pausedTrace, 150],
] as const)('a line for tokens grants and refuses as core’s bucket does, %s', async (_, traces, numRuns) => {
  await fc.assert(
    fc.asyncProperty(traces, async (trace) => {
      const cost = Math.min(trace.cost, trace.options.capacity);
      expect(inSimulator({ ...trace, cost })).toEqual(await inCore({ ...trace, cost }));
    }),
    { numRuns: runs(numRuns) },
  );
});
