import { type Clock } from '../base/clock.ts';
import type { InspectedResponse, InspectionContext, ServerEvent } from './inspect.ts';
import type { RequestTraits, Responded } from './outcome.ts';
/** How far a body is read. */
export interface LookBounds {
    readonly bytes: number;
    readonly timeoutMs: number;
    readonly clock: Clock;
}
/** A bounded look at the beginning of a body. */
export declare class Look implements InspectedResponse {
    #private;
    readonly status: number;
    readonly request: RequestTraits;
    readonly attempt: number;
    constructor(outcome: Responded, { request, attempt, open }: InspectionContext, bounds: LookBounds);
    header(name: string): string | undefined;
    /** What the body broke with during the look; `undefined` if it did not. */
    get error(): unknown;
    text(): Promise<string>;
    json(): Promise<unknown>;
    firstEvent(): Promise<ServerEvent | undefined>;
    /** Ends the look: what has not been read stays for the caller. */
    end(): void;
}
//# sourceMappingURL=look.d.ts.map