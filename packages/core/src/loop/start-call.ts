import { surroundings } from '#around';
import type { RequestTraits } from '../http/outcome.ts';
import type { Way } from '../layers/layer.ts';
import { Call } from './call.ts';
import type { PolicyOptions } from './options.ts';
import { overridePolicy, type Policy } from './policy.ts';

/** What one request may change of its client's policy; `false` sends it without ebb. */
export type RequestOptions = PolicyOptions | false;

/**
 * The call of a request with its own `ebb` options.
 *
 * @param carried what the options of the request hold under `LAYER`
 * @param way what the attempts are sent with
 * @throws TypeError, RangeError for wrong options
 */
export function startCall(
  policy: Policy,
  request: RequestTraits,
  options?: PolicyOptions,
  carried?: unknown,
  way: Way = 'client',
): Call {
  const around = surroundings(request, carried, way === 'dispatcher');
  // Options apply to the outermost layer, which they were given to.
  const own = options === undefined || around.outer !== undefined ? policy : overridePolicy(policy, options);
  return new Call(own, request, around, way);
}
