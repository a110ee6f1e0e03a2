import { type Policy } from '../policy/policy.ts';
import type { Way } from './layer.ts';
/**
 * True if nothing has to be made for a call before its first failure: its policy has no parts, hooks and timeouts, no one listens
 * to events, and no other layer is around it or below it.
 */
export declare function mayBeSentAtOnce(policy: Policy, way: Way): boolean;
/** Notes the history of a call that was successful at once. All with the same status share it. */
export declare function rememberSuccess(result: unknown, status: number): void;
//# sourceMappingURL=at-once.d.ts.map