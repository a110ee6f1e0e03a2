import type { Row } from '../row.ts';
/** An abort in each phase of a call ends it at once with the reason of the signal. */
export declare const aborts: readonly Row[];
//# sourceMappingURL=aborts.d.ts.map