import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Experiment } from '../experiment.ts';
import { type StormSize, storm, stormPolicies } from './storm.ts';

/** A hundred thousand clients that each make one request in 50 s: the load of the storm. */
export const QUIET: StormSize = { clients: 100_000, requestsPerSecond: 2_000 };

const published = stormPolicies(QUIET);
const ours = (budget: FleetPolicy['budget']): FleetPolicy => ({
  ...(published.Memorystore as FleetPolicy),
  budget,
});

/** What such a fleet may choose from. */
const policies: Experiment['policies'] = {
  'No retries': published['No retries'] ?? {},
  'gRPC A6': published['gRPC A6'] ?? {},
  'budget each, 3': ours({ retryBudget: {} }),
  'budget each, 0.1': ours({ retryBudget: { reserve: 0.1 } }),
  // A call takes 2 ms, and each client makes at most one in 100 ms.
  'one for all': ours({ valkeyBudget: {} }),
};

/** The storm that meets a quiet fleet: what is an allowance for each client adds up. */
export const quietStorm: Experiment = storm(policies, QUIET);

const GOOD_DAY_MS = 100_000;

/** The same fleet on a good day: two requests in a hundred fail, by chance, and are worth a retry. */
export const quietDay: Experiment = {
  ...quietStorm,
  durationMs: GOOD_DAY_MS,
  server: {
    ...quietStorm.server,
    troubles: [{ type: 'errors', fromMs: 0, untilMs: GOOD_DAY_MS, share: 0.02 }],
  },
};
