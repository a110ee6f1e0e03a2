import type { Trace } from './trace.ts';
/** Answered requests as a share of the new requests of the same time, in percent, over time in seconds. */
export declare function goodput({ series, intervalMs }: Trace): (readonly [seconds: number, percent: number])[];
//# sourceMappingURL=goodput.d.ts.map