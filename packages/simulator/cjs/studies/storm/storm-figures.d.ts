import type { ExperimentResult } from '../experiment.ts';
/** The share of requests that are answered during the storm and after it. */
export declare function stormFigure(results: readonly ExperimentResult[]): string;
/** The length of the server's queue during the storm and after it. */
export declare function stormQueueFigure(results: readonly ExperimentResult[]): string;
/** Every scheme of the storm: sends per request, recovery time, failures, and the time to an answer. */
export declare function stormSchemesFigure(results: readonly ExperimentResult[]): string;
//# sourceMappingURL=storm-figures.d.ts.map