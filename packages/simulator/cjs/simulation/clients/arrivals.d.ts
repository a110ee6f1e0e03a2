import type { Random } from '@ebb/core';
import { type Events } from '../../engine/events.ts';
import type { ClosedClients, OpenClients } from '../../scenario/client-options.ts';
/** The source of new requests. */
export interface Arrivals {
    start(): void;
    /** Returns the client of the request that arrives now, and schedules the next arrival. */
    arrive(subject: number): number;
    /** Called when a request of a client has ended. */
    ended(client: number): void;
}
/** The arrivals of an open or a closed fleet. */
export declare function arrivalsOf(clients: OpenClients | ClosedClients, events: Events, random: Random): Arrivals;
//# sourceMappingURL=arrivals.d.ts.map