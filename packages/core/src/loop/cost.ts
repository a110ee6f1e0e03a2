import { positive } from '../base/check.ts';
import { callHook } from '../base/errors.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { CallPolicy } from './part.ts';

/**
 * The tokens that an attempt takes.
 *
 * @throws HookError if `cost` throws, or returns something else than a number above 0
 */
export function costOf({ cost }: Pick<CallPolicy, 'cost'>, request: RequestTraits): number {
  if (typeof cost === 'number') return cost;
  return callHook('cost', () => {
    const tokens = cost(request);
    positive('its result', tokens);
    return tokens;
  });
}
