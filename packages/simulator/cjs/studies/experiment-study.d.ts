import { type Experiment, type ExperimentResult } from './experiment.ts';
import type { Study } from './study.ts';
import type { Table } from './table.ts';
/** The results of all policies as a table. */
export declare function experimentTable(results: readonly ExperimentResult[], durationMs: number): Table;
/** A study of an experiment. Without `draw` it has one figure, of the goodput. */
export declare function experimentStudy(name: string, shows: string, experiment: Experiment, draw?: Readonly<Record<string, (results: readonly ExperimentResult[]) => string>>): Study;
//# sourceMappingURL=experiment-study.d.ts.map