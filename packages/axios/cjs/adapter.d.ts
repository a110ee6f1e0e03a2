import { type Way } from '@ebb/core/adapter';
import type { AxiosAdapter, InternalAxiosRequestConfig } from 'axios';
import { type AxiosCopy } from './axios-copy.ts';
/** What a config may name as its adapter. */
export type Chosen = InternalAxiosRequestConfig['adapter'];
/** The adapter of a request, and which layers of ebb may be below it. */
export interface Route {
    readonly adapter: AxiosAdapter;
    readonly way: Way;
}
/**
 * Resolves the adapter of a request as its copy of axios does. The fetch adapter gets a fetch that records the status
 * and the redirects that axios does not pass on.
 *
 * @throws AxiosError if axios does not know the name, or the adapter does not work in this runtime
 * @throws TypeError if the adapter has a name, and there is no copy of axios at all
 */
export declare function routeOf(copy: AxiosCopy | undefined, chosen: Chosen, config: InternalAxiosRequestConfig): Route;
//# sourceMappingURL=adapter.d.ts.map