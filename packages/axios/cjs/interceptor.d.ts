import { type Policy, type PolicyOptions } from '@ebb/core';
import type { InternalAxiosRequestConfig } from 'axios';
import { type AxiosModule } from './axios-copy.ts';
/** A request interceptor, as `axios.interceptors.request.use` takes it. */
export type EbbInterceptor = (config: InternalAxiosRequestConfig) => InternalAxiosRequestConfig;
/**
 * Returns a request interceptor that retries: it sends each request when the policy allows it, and again after a
 * failure that a retry can cure. It wraps the request's adapter, so interceptors and transforms run once for all
 * attempts. The caller gets the response or error of the last attempt, unchanged.
 *
 * Several ebb interceptors on one instance do not multiply: the one that axios runs first retries and the others do
 * nothing. axios runs the one that was added last first, unless `transitional.legacyInterceptorReqResOrdering` is off.
 *
 * The request itself rejects with a `ThrottledError` if its bucket or limit refuses the first attempt, a `HookError`
 * if a function in the policy throws, and a `TypeError` or `RangeError` for invalid options under `ebb`.
 *
 * @param policyOrOptions a policy, which other clients may share, or the options of a new one; by default a policy
 *   with all defaults
 * @param axios the copy of axios that resolves adapters by name and makes axios's errors. By default ebb finds the one
 *   that the instance belongs to; if it cannot, as in a bundle, it takes another copy of version 1 and warns once
 * @throws TypeError for an option that does not exist or is of the wrong type, and unless `axios` is the module
 * @throws RangeError for an option out of its range
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/axios';
 * import axios from 'axios';
 *
 * const client = axios.create({ baseURL: 'https://api.example.com' });
 * client.interceptors.request.use(ebbInterceptor({ maxRetries: 3 }));
 *
 * const { data } = await client.get('/items', { ebb: { attemptTimeoutMs: 2_000 } });
 * ```
 */
export declare function ebbInterceptor(policyOrOptions?: Policy | PolicyOptions, axios?: AxiosModule): EbbInterceptor;
//# sourceMappingURL=interceptor.d.ts.map