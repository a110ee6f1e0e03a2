import { Measures, type Series } from '../measure/measures.ts';
import type { Scenario } from '../scenario/scenario.ts';
/** Called with the share of the run that is done, from 0 to 1, and the series so far: zeros after the current interval. */
export type OnProgress = (share: number, series: Series) => void;
/** One run of a scenario. */
export declare class Simulation {
    #private;
    eventCount: number;
    readonly measures: Measures;
    constructor(scenario: Scenario, seed: number);
    run(onProgress: OnProgress | undefined): void;
}
//# sourceMappingURL=simulation.d.ts.map