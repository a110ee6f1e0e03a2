import type { Experiment } from '../experiment.ts';
/** The storm with a quiet fleet: the allowances of all clients add up. */
export declare const quietStorm: Experiment;
/** The same fleet on a normal day: two percent of the requests fail at random, and a retry helps. */
export declare const quietDay: Experiment;
//# sourceMappingURL=quiet.d.ts.map