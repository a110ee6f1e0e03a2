import type { Policy } from '@ebb/core';
import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { type Chosen } from './adapter.ts';
import { type AxiosCopy } from './axios-copy.ts';
import type { FactoryBody } from './body/factory-body.ts';
/** What an interceptor knows of all its requests. */
export interface Interception {
    readonly policy: Policy;
    /** The axios module that the user passed to the interceptor. */
    readonly given: AxiosCopy | undefined;
}
/**
 * Sends a request as often as its policy says.
 *
 * @param chosen what the config names as its adapter, which sends one attempt
 * @param factory there if `data` is a function
 */
export declare function send(config: InternalAxiosRequestConfig, chosen: Chosen, { policy, given }: Interception, factory: FactoryBody | undefined): Promise<AxiosResponse>;
//# sourceMappingURL=send.d.ts.map