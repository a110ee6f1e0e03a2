import type { RequestTraits } from '../http/outcome.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { overridePolicy, type Policy } from '../policy/policy.ts';
import { surroundings } from './layers.ts';
import { Session } from './session.ts';

/** What one request may change of its client's policy; `false` sends it without ebb. */
export type RequestOptions = PolicyOptions | false;

/**
 * Starts the session of a request with its own `ebb` options; `undefined` for `ebb: false`.
 *
 * @param carried what the options of the request hold under `LAYER`
 * @param isDispatch true if the client is a dispatcher, below the code that follows redirects
 * @throws TypeError, RangeError for wrong options
 */
export function startSession(
  policy: Policy,
  request: RequestTraits,
  options?: RequestOptions,
  carried?: unknown,
  isDispatch = false,
): Session | undefined {
  if (options === false) return undefined;
  const around = surroundings(request, carried, isDispatch);
  // Options apply to the outermost layer, which they were given to.
  if (options === undefined || around.outer !== undefined) return new Session(policy, request, around);
  return new Session(overridePolicy(policy, options), request, around);
}
