import { expect, test } from 'vitest';
import { failedShare, type Trace } from '../../measure/trace.ts';
import { simulate } from '../../simulation/simulate.ts';
import { runExperiment } from '../experiment.ts';
import { quietDay, quietStorm } from './quiet-clients.ts';
import { storm, stormPolicies } from './storm.ts';

const SHARED = 'one for all';

function run(experiment: typeof quietStorm, ...names: string[]): Trace[] {
  const policies = Object.fromEntries(names.map((name) => [name, experiment.policies?.[name] ?? {}]));
  return runExperiment({ ...experiment, policies }).map(({ trace }) => trace);
}

test('100,000 quiet clients that share a budget recover within 15 s, with at most 1.15 sends per request', () => {
  const [shared, none] = run(quietStorm, SHARED, 'No retries');
  expect(shared?.recovery?.recoveredAfterMs).toBeLessThanOrEqual(15_000);
  expect(shared?.amplification).toBeLessThanOrEqual(1.15);
  // As fast as without retries.
  expect(shared?.recovery).toEqual(none?.recovery);
});

const isLong = process.env.EBB_LONG !== undefined;

test.runIf(isLong)('with a reserve of 3 for each client they do not recover, with 0.1 they do', () => {
  const [three, tenth] = run(quietStorm, 'budget each, 3', 'budget each, 0.1');
  expect(three?.recovery?.recoveredAfterMs).toBeUndefined();
  expect(tenth?.recovery?.recoveredAfterMs).toBeLessThanOrEqual(15_000);
});

test.runIf(isLong).each([
  ['the default reserve recovers, with one request in 10 s', 20_000, {}, true],
  ['the default reserve does not recover, with one request in 20 s', 40_000, {}, false],
  ['a reserve of 0.25 recovers, with one request in 20 s', 40_000, { reserve: 0.25 }, true],
])('a fleet with a budget for each client: %s', (_, clients, budget, holds) => {
  const size = { clients, requestsPerSecond: 2_000 };
  const { policies, ...scenario } = storm(stormPolicies(size), size);
  const { recovery } = simulate({
    ...scenario,
    policy: { ...policies?.Memorystore, budget: { retryBudget: budget } },
  });
  if (holds) expect(recovery?.recoveredAfterMs).toBeLessThanOrEqual(15_000);
  else expect(recovery?.recoveredAfterMs).toBeUndefined();
});

test.runIf(isLong)(
  'on a normal day a shared budget retries nine in ten failures, a reserve of 0.1 for each client one in seven',
  () => {
    const [shared, tenth] = run(quietDay, SHARED, 'budget each, 0.1');
    const retried = ({ totals }: Trace): number =>
      (totals.sends - totals.requests) / (totals.unavailable + totals.timeouts);
    expect(retried(shared as Trace)).toBeGreaterThan(0.9);
    expect(retried(tenth as Trace)).toBeLessThan(0.15);
    expect(failedShare(shared as Trace)).toBeLessThan(0.005);
  },
);

test('the longer a call to the store takes, the fewer failures are retried', () => {
  const sends = [0, 10, 100, 1_000].map((roundTripMs) => {
    const scenario = {
      durationMs: 60_000,
      clients: { count: 2_000, requestsPerSecond: 200 },
      server: {
        workers: 10,
        serviceMs: 20,
        troubles: [{ type: 'errors' as const, fromMs: 0, untilMs: 60_000, share: 0.05 }],
      },
      policy: { budget: { valkeyBudget: { roundTripMs } } },
    };
    const { totals } = simulate(scenario);
    const { reserve, ratio } = { reserve: 10, ratio: 0.2 };
    expect(totals.sends - totals.requests).toBeLessThanOrEqual(reserve + ratio * totals.successes);
    return totals.sends;
  });
  expect(sends).toEqual([...sends].sort((one, other) => other - one));
  expect(sends[0]).toBeGreaterThan((sends[3] as number) + 100);
});
