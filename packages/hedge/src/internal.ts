// The door for the simulator. It is no part of the public API: any release may change it.
export { HedgePlan } from './hedge-plan.ts';
export * as hedgeRule from './rule.ts';
