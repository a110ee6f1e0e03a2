import { recoveryOf } from '../measure/recovery.ts';
import type { Trace } from '../measure/trace.ts';
import { checkScenario } from '../scenario/check-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type OnProgress, Simulation } from './simulation.ts';

/** Options of {@link simulate}. */
export interface SimulateOptions {
  /**
   * The same seed gives the same trace.
   * @default 1
   */
  readonly seed?: number | undefined;
  /** Called now and then with the share that is done, from 0 to 1, and the series: zeros after the current interval. */
  readonly onProgress?: OnProgress | undefined;
}

/**
 * Runs a scenario in virtual time. Core's `decide` judges every answer, and the arithmetic of core's token bucket
 * counts every token. The same seed gives the same trace.
 *
 * @throws ScenarioError for an invalid scenario
 */
export function simulate(scenario: Scenario, options: SimulateOptions = {}): Trace {
  const { seed = 1, onProgress } = options;
  checkScenario(scenario);
  const simulation = new Simulation(scenario, seed);
  simulation.run(onProgress);
  const { latency, tokenWait, series, totals } = simulation.measures;
  return {
    seed,
    intervalMs: scenario.intervalMs ?? 1_000,
    series,
    totals,
    amplification: totals.requests === 0 ? 0 : totals.sends / totals.requests,
    latencyMs: latency.quantiles(),
    tokenWaitMs: tokenWait.quantiles(),
    recovery: recoveryOf(scenario, series),
    shards: simulation.shards?.traces ?? [],
    events: simulation.eventCount,
  };
}
