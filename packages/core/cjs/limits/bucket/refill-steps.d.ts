import { type Quota } from './gcra.ts';
/** The number of refill steps since 0. */
export declare function stepsBy(intervalMs: number, nowMs: number): number;
/**
 * The number of refill steps until the tokens are available; 0 for now. A step adds the tokens of `everyMs`, and once a debt
 * is paid at most the capacity: the rest is lost.
 */
export declare function stepsToWait({ capacity, refillPerSecond }: Quota, emptyAtMs: number, cost: number, stepMs: number, everyMs: number): number;
//# sourceMappingURL=refill-steps.d.ts.map