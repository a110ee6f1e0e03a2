import { surroundings } from '#around';
import type { RequestTraits } from '../http/outcome.ts';
import type { Way } from './layer.ts';
import type { PolicyOptions } from './options.ts';
import { overridePolicy, type Policy } from './policy.ts';
import { Session } from './session.ts';

/** What one request may change of its client's policy; `false` sends it without ebb. */
export type RequestOptions = PolicyOptions | false;

/**
 * Starts the session of a request with its own `ebb` options; `undefined` for `ebb: false`.
 *
 * @param carried what the options of the request hold under `LAYER`
 * @param way what the attempts are sent with
 * @throws TypeError, RangeError for wrong options
 */
export function startSession(
  policy: Policy,
  request: RequestTraits,
  options?: RequestOptions,
  carried?: unknown,
  way: Way = 'client',
): Session | undefined {
  if (options === false) return undefined;
  const around = surroundings(request, carried, way === 'dispatcher');
  // Options apply to the outermost layer, which they were given to.
  if (options === undefined || around.outer !== undefined) return new Session(policy, request, around, way);
  return new Session(overridePolicy(policy, options), request, around, way);
}
