import type { Trace } from '../measure/trace.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type OnProgress } from './simulation.ts';
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
export declare function simulate(scenario: Scenario, options?: SimulateOptions): Trace;
//# sourceMappingURL=simulate.d.ts.map