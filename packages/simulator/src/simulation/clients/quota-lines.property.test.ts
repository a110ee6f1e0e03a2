/**
 * Holds the simulator's lines of waiting requests against core's `quotaBucket`: requests of one cost, in two units, that
 * are answered after a while and then settled with what they have spent. Units are charged when tokens are granted, or
 * hold them until they are settled. Every request must be granted, marked or refused in both, and at the same time.
 *
 * Pauses are compared for requests without deadlines, as in `token-lines.property.test.ts`.
 */
import { type Costs, quotaBucket } from '@ebb/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import {
  type Asked,
  anyPauses,
  anyRequests,
  anyRules,
  fatesInCore,
  fatesInLines,
  type Pause,
} from '../../../test/watched-lines.ts';
import { SimulationClock } from '../../engine/events.ts';
import { clientBuckets } from './client-buckets.ts';

const limitOf = (capacity: number) =>
  fc.record({
    refillPerSecond: fc.constantFrom(1, 3, 10, 100),
    capacity: fc.constant(capacity),
    initialTokens: fc.constantFrom(0, capacity),
    chargeOn: fc.constantFrom('grant' as const, 'completion' as const),
  });

const limits = fc.record({ requests: limitOf(4), output: limitOf(100) });

const cost: fc.Arbitrary<number | Costs> = fc.oneof(
  fc.constantFrom(1, 2.5),
  fc.record({ requests: fc.constantFrom(1, 2), output: fc.constantFrom(3, 40, 60, 100) }),
  fc.record({ output: fc.constantFrom(20, 90) }),
);

const answer = fc.record({
  answeredInMs: fc.oneof(fc.nat(100), fc.nat(5_000)),
  // Less than was reserved, as much, or more. `other` is no unit of the bucket.
  spent: fc.oneof(
    fc.record({ output: fc.constantFrom(0, 3, 25, 60, 150), other: fc.constant(7) }),
    fc.record({ requests: fc.constantFrom(0, 1, 3), output: fc.constantFrom(1, 40) }),
  ),
});

interface Trace {
  readonly options: Parameters<typeof quotaBucket>[0];
  readonly cost: number | Costs;
  readonly actualCost: boolean;
  readonly requests: readonly Asked[];
  readonly pauses: readonly Pause[];
}

const trace: fc.Arbitrary<Trace> = fc.record({
  options: fc.record({ limits, ...anyRules }),
  cost,
  actualCost: fc.boolean(),
  requests: anyRequests(true, answer),
  pauses: fc.constant([]),
});

const pausedTrace: fc.Arbitrary<Trace> = fc.record({
  options: fc.record({ limits }),
  cost,
  actualCost: fc.boolean(),
  requests: anyRequests(false, answer),
  pauses: anyPauses,
});

/** No answer comes at the same time as a request, because which of the two is first is not specified. */
const apart = ({ requests, ...trace }: Trace): Trace => ({
  ...trace,
  requests: requests.map((one, at) => ({
    ...one,
    answeredInMs: (one.answeredInMs as number) + 0.1 + at * Math.SQRT1_2 * 0.1,
  })),
});

/** What the bucket knows of what an answer says. */
function known({ actualCost, cost }: Trace, { spent = {} }: Asked): number | Costs {
  const { other: _, ...units } = spent;
  return actualCost ? units : cost;
}

function inCore(trace: Trace): Promise<readonly string[]> {
  const { options, cost, requests, pauses } = trace;
  const make: Parameters<typeof fatesInCore>[0] = (environment) =>
    quotaBucket({ ...options, ...environment });
  return fatesInCore(make, cost, requests, pauses, (asked) => known(trace, asked));
}

function inSimulator({ options, cost, actualCost, requests, pauses }: Trace): readonly string[] {
  const clock = new SimulationClock();
  const use = { cost, actualCost };
  const buckets = clientBuckets({ quotaBucket: options }, 1, use, { clock, random: () => 0.5 });
  return fatesInLines(clock, buckets, requests, pauses);
}

test.each([
  ['with deadlines and limits', trace, 250],
  ['with pauses', pausedTrace, 150],
] as const)('a line for tokens of several units does as core’s bucket, %s', async (_, traces, numRuns) => {
  await fc.assert(
    fc.asyncProperty(traces.map(apart), async (trace) => {
      expect(inSimulator(trace)).toEqual(await inCore(trace));
    }),
    { numRuns: runs(numRuns) },
  );
});
