import { type Policy, type PolicyOptions } from '@ebb/core';
import type { Dispatcher } from 'undici';
/**
 * An interceptor for `dispatcher.compose()`. It sends each request when the policy permits it, and retries it if the
 * policy says so. The handler sees one request: one controller, and the response or the error of the last attempt.
 * Without a retry a request behaves exactly like one of the bare dispatcher, but for `context`, which is always an
 * object.
 *
 * Requests fail with the errors of the dispatcher, and with two of ebb's: `ThrottledError` if no token or slot can be
 * had in time for the first attempt, and `HookError` if a hook or a body factory throws.
 *
 * @param policyOrOptions a policy, which several clients can share, or the options of a new one; by default a policy
 *   with all defaults
 * @throws TypeError, RangeError if an option is invalid
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/undici';
 * import { Agent, request } from 'undici';
 *
 * const dispatcher = new Agent().compose(ebbInterceptor({ maxRetries: 3 }));
 *
 * const { body } = await request('https://api.example.com/', { dispatcher });
 * console.log(await body.json());
 * ```
 */
export declare function ebbInterceptor(policyOrOptions?: Policy | PolicyOptions): Dispatcher.DispatcherComposeInterceptor;
//# sourceMappingURL=interceptor.d.ts.map