import { type Outcome } from '@ebb/core';
import type { AxiosResponse } from 'axios';
import type { Traits } from './traits.ts';
/** A response that an adapter resolved with. Its headers and its origin are read when they are asked for. */
export declare class ResponseOutcome {
    #private;
    readonly type = "response";
    readonly status: number;
    constructor({ status, headers, request }: AxiosResponse, traits: Traits);
    header(name: string): string | undefined;
    get redirected(): boolean;
    get url(): string | undefined;
}
/** Reads what an adapter rejected with: a response that `validateStatus` refused, or a failure. */
export declare function failureOf(error: unknown, traits: Traits): Outcome;
//# sourceMappingURL=outcome.d.ts.map