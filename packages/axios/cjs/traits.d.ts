import type { RequestTraits } from '@ebb/core';
import { type InternalAxiosRequestConfig } from 'axios';
import type { RequestBody } from './body/request-body.ts';
/** What a policy can ask about a request. Read from the config on each call, so an unused trait costs nothing. */
export declare class Traits implements RequestTraits {
    #private;
    readonly config: InternalAxiosRequestConfig;
    constructor(config: InternalAxiosRequestConfig, body: RequestBody);
    get method(): string;
    get url(): string;
    get replayable(): boolean;
    /** As `transformRequest` has left it. A body that is made anew for each attempt is no one's to look at. */
    get body(): unknown;
    header(name: string): string | undefined;
}
//# sourceMappingURL=traits.d.ts.map