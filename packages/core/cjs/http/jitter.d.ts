import type { Random } from '../base/clock.ts';
/**
 * A wait that a server asked for, with up to a fifth of it on top, at most a second: clients that were told the same
 * time do not return together.
 */
export declare function withJitter(waitMs: number, random: Random): number;
//# sourceMappingURL=jitter.d.ts.map