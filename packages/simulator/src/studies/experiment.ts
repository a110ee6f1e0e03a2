import type { Trace } from '../measure/trace.ts';
import { type Check, fields, isObject, joinPath, ScenarioError, wrong } from '../scenario/check.ts';
import { checkPolicy } from '../scenario/check-policy.ts';
import { checkActualCost, checkIntervals, SCENARIO_FIELDS } from '../scenario/check-scenario.ts';
import type { ClientFactory } from '../scenario/client-options.ts';
import type { FleetPolicy } from '../scenario/fleet-policy.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { simulate } from '../simulation/simulate.ts';

/** A scenario under several policies, with the same requests for each policy. */
export interface Experiment extends Omit<Scenario, 'policy'> {
  /** The finding. */
  readonly title?: string | undefined;
  /** Policies by name. A single one may be given as `policy`. */
  readonly policies?: Readonly<Record<string, FleetPolicy | ClientFactory>> | undefined;
  readonly policy?: FleetPolicy | ClientFactory | undefined;
}

/** The result of one policy. */
export interface ExperimentResult {
  readonly name: string;
  readonly trace: Trace;
}

const text: Check = (path, value) => {
  if (typeof value !== 'string') throw wrong(path, 'a string', value);
};

const checkPolicies: Check = (path, value) => {
  if (!isObject(value) || Object.keys(value).length === 0) {
    throw wrong(path, 'an object with a policy for each name', value);
  }
  fields(Object.fromEntries(Object.keys(value).map((name) => [name, checkPolicy])))(path, value);
};

const checkFields = fields({
  '?title': text,
  ...SCENARIO_FIELDS,
  '?policy': checkPolicy,
  '?policies': checkPolicies,
});

/**
 * Checks an experiment, which may come from a file.
 * @throws ScenarioError whose message begins with the path of the wrong field
 */
export function checkExperiment(value: unknown): asserts value is Experiment {
  checkFields('', value);
  const experiment = value as Experiment;
  checkIntervals(experiment);
  if (experiment.policy !== undefined && experiment.policies !== undefined) {
    throw new ScenarioError('policy and policies exclude each other: put the single policy into policies');
  }
  const { policy, policies = {}, server } = experiment;
  checkActualCost('policy', policy, server);
  for (const name of Object.keys(policies)) {
    checkActualCost(joinPath('policies', name), policies[name], server);
  }
}

/** Options of {@link runExperiment}. */
export interface ExperimentOptions {
  /** @default 1 */
  readonly seed?: number | undefined;
  /** Called now and then with the share that is done, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * Runs an experiment, and returns a trace for each policy.
 * @throws ScenarioError for an invalid experiment
 */
export function runExperiment(experiment: Experiment, options: ExperimentOptions = {}): ExperimentResult[] {
  checkExperiment(experiment);
  const { title: _, policy = {}, policies = { policy }, ...scenario } = experiment;
  const { seed = 1, onProgress } = options;
  const names = Object.keys(policies);
  return names.map((name, at) => {
    const trace = simulate(
      { ...scenario, policy: policies[name] },
      { seed, onProgress: (share) => onProgress?.((at + share) / names.length) },
    );
    return { name, trace };
  });
}

/** The trace of a policy. */
export function traceOf(results: readonly ExperimentResult[], name: string): Trace {
  const result = results.find((other) => other.name === name);
  if (result === undefined) throw new Error(`there is no policy ${name}`);
  return result.trace;
}
