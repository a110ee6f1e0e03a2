import type { Random } from '@ebb/core';
import type { ServerOptions } from '../../scenario/server-options.ts';
/** What a server needs from the simulation around it. */
export interface ServerWorld {
    readonly random: Random;
    /** Schedules a call of {@link Server.finish} with these numbers. */
    finishIn(durationMs: number, job: number, stamp: number, epoch: number): void;
    /** Sends an answer to the client. */
    answer(job: number, stamp: number, outcome: number): void;
}
/**
 * Workers that each serve one request at a time, and a queue before them. The server does not learn that a client has
 * given up: it serves abandoned requests like all others, as real servers do.
 */
export declare class Server {
    #private;
    /** Requests that are being served, including those of workers that leave after their request. */
    busy: number;
    constructor(options: ServerOptions, world: ServerWorld);
    /** Requests that wait for a worker. */
    get queue(): number;
    /** The times at which {@link change} must be called. */
    get moments(): number[];
    /** A request arrives. */
    receive(job: number, stamp: number, nowMs: number): void;
    /** A worker is done. If its request was lost in an outage, the client learns so now, when it expected the answer. */
    finish(job: number, stamp: number, epoch: number): void;
    /** A trouble begins, changes or ends. */
    change(nowMs: number): void;
}
//# sourceMappingURL=server.d.ts.map