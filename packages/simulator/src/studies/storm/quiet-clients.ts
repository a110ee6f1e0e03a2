import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Experiment } from '../experiment.ts';
import { type StormSize, storm, stormPolicies } from './storm.ts';

/** 100,000 clients, each with one request in 50 s. Together they are the load of the storm. */
const QUIET: StormSize = { clients: 100_000, requestsPerSecond: 2_000 };

const published = stormPolicies(QUIET);
const ours = (budget: FleetPolicy['budget']): FleetPolicy => ({
  ...(published.Memorystore as FleetPolicy),
  budget,
});

/** Policies for such a fleet. */
const policies: Experiment['policies'] = {
  'No retries': published['No retries'] ?? {},
  'gRPC A6': published['gRPC A6'] ?? {},
  'budget each, 3': ours({ retryBudget: {} }),
  'budget each, 0.1': ours({ retryBudget: { reserve: 0.1 } }),
  // A call takes 2 ms, and each client makes at most one in 100 ms.
  'one for all': ours({ valkeyBudget: {} }),
};

/** The storm with a quiet fleet: the allowances of all clients add up. */
export const quietStorm: Experiment = storm(policies, QUIET);

const GOOD_DAY_MS = 100_000;

/** The same fleet on a normal day: two percent of the requests fail at random, and a retry helps. */
export const quietDay: Experiment = {
  ...quietStorm,
  durationMs: GOOD_DAY_MS,
  server: {
    ...quietStorm.server,
    troubles: [{ type: 'errors', fromMs: 0, untilMs: GOOD_DAY_MS, share: 0.02 }],
  },
};
