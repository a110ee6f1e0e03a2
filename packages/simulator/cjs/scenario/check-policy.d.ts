import { type Check } from './check.ts';
/** @throws ScenarioError for a policy that cannot be simulated */
export declare const checkPolicy: Check;
//# sourceMappingURL=check-policy.d.ts.map