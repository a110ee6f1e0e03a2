import type { RequestTraits } from '../http/outcome.ts';
import type { Policy } from './policy.ts';
/**
 * The tokens that an attempt takes.
 *
 * @throws HookError if `cost` throws, or returns something else than a number above 0
 */
export declare function costOf({ cost }: Policy, request: RequestTraits): number;
//# sourceMappingURL=cost.d.ts.map