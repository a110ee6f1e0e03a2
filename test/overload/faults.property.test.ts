import { seededRandom, virtualClock } from '@ebb/core/testing';
import { type FaultScenario, faults, type Trouble } from '@ebb/testing/faults';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIRST_TOO_MANY, OK, REFUSED, RESET } from '../../packages/simulator/src/simulation/outcomes.ts';
import { Server } from '../../packages/simulator/src/simulation/server/server.ts';
import { runs } from '../runs.ts';

/** What became of each request: its answer, and when it came. */
type Seen = readonly string[];

async function ofFaults(scenario: FaultScenario, arrivals: readonly number[], seed: number): Promise<Seen> {
  const clock = virtualClock({ startMs: 0 });
  const service = faults({ ...scenario, clock }, seed);
  const seen = arrivals.map(() => 'nothing');
  for (const [at, ms] of arrivals.entries()) {
    clock.schedule(() => {
      const tell = (what: unknown): void => {
        seen[at] = `${what} at ${clock.now().toFixed(6)}`;
      };
      service('http://a.test/').then(
        ({ status, headers }) => tell(`${status} ${headers.get('retry-after')}`),
        (error) => tell(error.cause.code),
      );
    }, ms);
  }
  await clock.advance(1e6);
  expect(clock.pending).toBe(0);
  return seen;
}

/** The server of the simulator. */
function ofSimulator(scenario: FaultScenario, arrivals: readonly number[], seed: number): Seen {
  const clock = virtualClock({ startMs: 0 });
  const seen = arrivals.map(() => 'nothing');
  const nameOf = (outcome: number): string => {
    if (outcome === REFUSED) return 'ECONNREFUSED';
    if (outcome === RESET) return 'ECONNRESET';
    if (outcome < FIRST_TOO_MANY) return outcome === OK ? '200 null' : '503 null';
    return `429 ${outcome === FIRST_TOO_MANY ? null : outcome - FIRST_TOO_MANY - 1}`;
  };
  const server = new Server(scenario as never, {
    random: seededRandom(seed),
    finishIn: (durationMs, job, stamp, epoch) => {
      clock.schedule(() => server.finish(job, stamp, epoch, clock.now()), durationMs);
    },
    answer: (job, _stamp, outcome) => {
      seen[job] = `${nameOf(outcome)} at ${clock.now().toFixed(6)}`;
    },
  });
  for (const atMs of server.moments) clock.schedule(() => server.change(clock.now()), atMs);
  for (const [at, ms] of arrivals.entries()) clock.schedule(() => server.receive(at, 0, clock.now()), ms);
  clock.tick(1e6);
  return seen;
}

const share = fc.double({ min: 0, max: 1, noNaN: true });
const span = fc
  .tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 3_000 }))
  .map(([fromMs, ms]) => ({ fromMs, untilMs: fromMs + ms }));
const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc
    .tuple(span, fc.constantFrom('refused', 'unavailable', 'silence'))
    .map(([times, answer]) => ({ type: 'outage', answer, ...times }) as const),
  fc
    .tuple(span, share)
    .map(([times, left]) => ({ type: 'brown-out', capacityShare: left, ...times }) as const),
  fc
    .tuple(span, share)
    .map(([times, left]) => ({ type: 'slow-start', capacityShare: left, ...times }) as const),
  fc.tuple(span, share).map(([times, failing]) => ({ type: 'errors', share: failing, ...times }) as const),
);
const scenarios: fc.Arbitrary<FaultScenario> = fc.record(
  {
    workers: fc.integer({ min: 1, max: 5 }),
    // No finish at the time of an arrival or of a trouble: which of the two comes first is not what is compared.
    serviceMs: fc.integer({ min: 1, max: 500 }).map((ms) => ms + Math.SQRT1_2),
    serviceSpread: fc.constantFrom('constant', 'exponential', 'log-normal', 'pareto'),
    maxQueue: fc.nat(20),
    queueFull: fc.constantFrom('unavailable', 'too-many'),
    stragglers: fc.record({ share, factor: fc.integer({ min: 2, max: 20 }) }),
    limit: fc.record({
      refillPerSecond: fc.integer({ min: 1, max: 100 }),
      capacity: fc.integer({ min: 1, max: 20 }),
      retryAfter: fc.boolean(),
    }),
    troubles: fc.array(trouble, { maxLength: 4 }),
  },
  { requiredKeys: ['workers', 'serviceMs'] },
);
const arrivals = fc
  .array(fc.integer({ min: 0, max: 8_000 }), { maxLength: 120, size: 'max' })
  .map((times) => times.sort((one, other) => one - other).map((ms) => ms + 0.25));

test('faults answers as the server of the simulator does, at the same times, also what is drawn', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, arrivals, fc.nat(), async (scenario, times, seed) => {
      expect(await ofFaults(scenario, times, seed)).toEqual(ofSimulator(scenario, times, seed));
    }),
    { numRuns: runs(150) },
  );
}, 30_000);
