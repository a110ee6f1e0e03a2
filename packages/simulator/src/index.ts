export {
  ARTICLE_RULES,
  type Comparison,
  type ComparisonPoint,
  compareRules,
  type NamedRule,
  OTHER_RULES,
} from './comparison.ts';
export { type LockRace, type LockResult, raceForLock } from './optimistic-lock.ts';
export type { Sample } from './sample.ts';
export type { FleetPolicy, NamedBackoff, Scenario, Trouble } from './scenario.ts';
export { type SimulateOptions, simulate } from './simulate.ts';
export type { Trace } from './trace.ts';
