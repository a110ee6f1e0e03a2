import { type Check } from './check.ts';
import type { Scenario } from './scenario.ts';
/** The fields of a scenario, without its policy. */
export declare const SCENARIO_FIELDS: Readonly<Record<string, Check>>;
/** @throws ScenarioError if there are too many intervals */
export declare function checkIntervals({ durationMs, intervalMs, }: Pick<Scenario, 'durationMs' | 'intervalMs'>): void;
/**
 * Checks a scenario, which may come from a file.
 * @throws ScenarioError whose message begins with the path of the wrong field
 */
export declare function checkScenario(value: unknown): asserts value is Scenario;
//# sourceMappingURL=check-scenario.d.ts.map