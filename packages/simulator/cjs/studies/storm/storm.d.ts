import type { ClientFactory } from '../../scenario/client-options.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import type { Experiment } from '../experiment.ts';
/** The size of a storm. */
export interface StormSize {
    /** @default 10_000 */
    readonly clients?: number;
    /**
     * New requests of the whole fleet.
     * @default 2_000
     */
    readonly requestsPerSecond?: number;
    /**
     * The longest queue of the server, in seconds of its work.
     * @default 2
     */
    readonly queueSeconds?: number;
    /** @default 130_000 */
    readonly durationMs?: number;
}
/**
 * A service at 90 % of its capacity loses half of it for a minute. Its queue holds two seconds of work and clients wait
 * one second: while the queue is full, every request that is served has been given up. That is how overload persists.
 */
export declare function storm(policies: Experiment['policies'], size?: StormSize): Experiment;
/** The policies of the storm, for a fleet of this size. */
export declare function stormPolicies(size?: StormSize): Record<string, FleetPolicy | ClientFactory>;
//# sourceMappingURL=storm.d.ts.map