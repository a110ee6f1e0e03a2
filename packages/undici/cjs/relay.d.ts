import type { Duplex } from 'node:stream';
import { Attempt } from './attempt.ts';
import type { AttemptListener } from './attempt-listener.ts';
import { Driver } from './driver.ts';
import { type ResponseHead, type ResponseHeaders } from './headers.ts';
import type { Held } from './held.ts';
/** A request on its way: what the events of its attempts mean, as steps of its driver. */
export declare class Relay extends Driver implements AttemptListener<Attempt> {
    #private;
    protected makeAttempt(): Attempt;
    informed(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void;
    responded(attempt: Attempt, status: number, headers: ResponseHeaders, message?: string): void;
    respond(attempt: Attempt, { status, headers, message }: ResponseHead, held: Held): void;
    upgraded(attempt: Attempt, status: number, headers: ResponseHeaders, socket: Duplex): unknown;
    arrived(attempt: Attempt): void;
    data(attempt: Attempt, chunk: Buffer): void;
    ended(attempt: Attempt, trailers: ResponseHeaders): void;
    broke(attempt: Attempt, error: Error): void;
    failedAgain(error: Error): void;
}
//# sourceMappingURL=relay.d.ts.map