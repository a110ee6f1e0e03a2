import { devText } from '#dev-text';
import { type Check, positive } from '../base/check.ts';
import { callHook } from '../base/errors.ts';
import { must } from '../base/options.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { CostOption, Costs } from './contracts.ts';

/** A key, of a bucket or of a fair share. */
export const checkKey: Check = (name, value) =>
  must(name, devText('a string'), value, typeof value === 'string');

/** The bucket knows its units. */
export const checkCost: Check = (name, value) => {
  if (Object(value) !== value) positive(name, value);
};

/**
 * The tokens that an attempt takes.
 *
 * @throws HookError if `cost` throws, or returns something else than costs
 */
export function costOf({ cost }: { readonly cost: CostOption }, request: RequestTraits): number | Costs {
  return typeof cost === 'function' ? callHook('cost', () => cost(request), checkCost) : cost;
}

/**
 * Returns the key (tenant) of a request.
 *
 * @throws HookError if the function throws, or returns something else than a text
 */
export function fairKeyOf(
  fairKey: string | ((request: RequestTraits) => string),
  request: RequestTraits,
): string {
  return typeof fairKey === 'string' ? fairKey : callHook('fairKey', () => fairKey(request), checkKey);
}
