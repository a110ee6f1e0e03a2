import { type Events } from '../../engine/events.ts';
import type { Measures } from '../../measure/measures.ts';
import type { Fleet } from './fleet.ts';
import type { Requests } from './requests.ts';
/** What clients need from the simulation around them. */
export interface ClientWorld {
    /** Sends an attempt to the server. */
    send(request: number, stamp: number): void;
    /** Called when a request of a client has ended. */
    ended(client: number): void;
}
/** The clients of a fleet: everything that happens to a request, from its start to its end. */
export declare class Clients {
    #private;
    readonly requests: Requests;
    constructor(clients: number, fleet: Fleet, requests: Requests, events: Events, measures: Measures, world: ClientWorld);
    begin(client: number): void;
    /** The backoff of the next attempt is over. Sends it as soon as it has tokens. */
    ready(request: number): void;
    /** Sends those of a client's waiting requests that can have their tokens now. */
    look(client: number): void;
    /** The longest wait for tokens that a request allows is over. */
    expire(request: number, stamp: number): void;
    /** An attempt is answered or has timed out. An answer to an attempt that was given up is only counted. */
    learn(request: number, stamp: number, outcome: number): void;
}
//# sourceMappingURL=clients.d.ts.map