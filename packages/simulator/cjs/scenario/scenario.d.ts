import type { ClientFactory, ClosedClients, OpenClients } from './client-options.ts';
import type { FleetPolicy } from './fleet-policy.ts';
import type { ServerOptions } from './server-options.ts';
/** The delay of every message, each way: |N(mean, deviation)|, in milliseconds. */
export interface NetworkOptions {
    readonly meanMs: number;
    /** @default 0 */
    readonly deviationMs?: number | undefined;
}
/** A fleet, a server, and what happens to the server. */
export interface Scenario {
    /** In milliseconds of virtual time. */
    readonly durationMs: number;
    /**
     * The length of the intervals of the time series.
     * @default 1_000
     */
    readonly intervalMs?: number | undefined;
    readonly clients: OpenClients | ClosedClients;
    readonly server: ServerOptions;
    /** @default no delay */
    readonly network?: NetworkOptions | undefined;
    /** @default {} */
    readonly policy?: FleetPolicy | ClientFactory | undefined;
}
//# sourceMappingURL=scenario.d.ts.map