import type { Experiment } from '../experiment.ts';
/** 200 workers that each send their next request soon after an answer, to a service with a quota of 100 a second. */
export declare const quota: Experiment;
/** A service that is down for half a minute and comes back cold. */
export declare const outage: Experiment;
//# sourceMappingURL=service-experiments.d.ts.map