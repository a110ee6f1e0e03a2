import type { Trace } from '../measure/trace.ts';
import type { ClientFactory } from '../scenario/client-options.ts';
import type { FleetPolicy } from '../scenario/fleet-policy.ts';
import type { Scenario } from '../scenario/scenario.ts';
/** One scenario under several policies, with the same requests for each of them. */
export interface Experiment extends Omit<Scenario, 'policy'> {
    /** The finding. */
    readonly title?: string | undefined;
    /** Policies by name. A single one may be given as `policy`. */
    readonly policies?: Readonly<Record<string, FleetPolicy | ClientFactory>> | undefined;
    readonly policy?: FleetPolicy | ClientFactory | undefined;
}
/** The result of one policy. */
export interface ExperimentResult {
    readonly name: string;
    readonly trace: Trace;
}
/**
 * Checks an experiment, which may come from a file.
 * @throws ScenarioError whose message begins with the path of the wrong field
 */
export declare function checkExperiment(value: unknown): asserts value is Experiment;
/** Options of {@link runExperiment}. */
export interface ExperimentOptions {
    /** @default 1 */
    readonly seed?: number | undefined;
    /** Called now and then with the share that is done, from 0 to 1. */
    readonly onProgress?: ((share: number) => void) | undefined;
}
/**
 * Runs an experiment, and returns a trace for each policy.
 * @throws ScenarioError for an invalid experiment
 */
export declare function runExperiment(experiment: Experiment, options?: ExperimentOptions): ExperimentResult[];
//# sourceMappingURL=experiment.d.ts.map