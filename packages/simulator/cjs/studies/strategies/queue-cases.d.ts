/** A moment and a value. */
export type Moment = readonly [seconds: number, value: number];
/** How many requests are in flight to a service that becomes slow, and how many were not sent. */
export interface Slots {
    readonly inFlight: readonly Moment[];
    readonly most: number;
    readonly sent: number;
    readonly refused: number;
}
/**
 * 100 requests per second to a service that takes 0.1 s for each, and 3 s from 5 s to 15 s. A request without a slot is
 * not sent, as with `maxQueue: 0`.
 */
export declare function slotsUnder(maxConcurrent: number | undefined): Slots;
/** How long each request of a small tenant waits for its token, by the second in which it arrives. */
export declare function smallTenantWaits(perTenant: boolean): readonly Moment[];
/** What became of the requests of a fleet, per second. */
export interface FleetUse {
    readonly served: number;
    readonly refusedByServer: number;
    readonly waiting: number;
}
/** How eight processes share a quota: not at all, in fixed parts, or with one bucket. */
export type Sharing = 'each its own' | 'fixed parts' | 'one bucket';
export declare function useOf(sharing: Sharing): FleetUse;
/** How long each urgent request waits behind 200 others, by the second in which it arrives. */
export declare function urgentWaits(priority: number): readonly Moment[];
//# sourceMappingURL=queue-cases.d.ts.map