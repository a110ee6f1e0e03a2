import { type Scenario, ScenarioError, simulate, type Trace } from '@ebb/simulator';

const scenario: Scenario = {
  durationMs: 1000,
  clients: { count: 5, requestsPerSecond: 4 },
  server: { workers: 1, serviceMs: 20 },
  policy: { maxRetries: 3 },
};
export const trace: Trace = simulate(scenario);
export const isScenarioError = (error: unknown): boolean => error instanceof ScenarioError;

// @ts-expect-error: no clients
simulate({ durationMs: 1000, server: { workers: 1, serviceMs: 20 } });
// @ts-expect-error: not an option
simulate({ ...scenario, policy: { retries: 3 } });
