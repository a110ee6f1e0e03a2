import type { Trace } from '../measure/trace.ts';
import { type Check, fields, ScenarioError, wrong } from '../scenario/check.ts';
import { checkPolicy } from '../scenario/check-policy.ts';
import { checkIntervals, SCENARIO_FIELDS } from '../scenario/check-scenario.ts';
import type { ClientFactory } from '../scenario/client-options.ts';
import type { FleetPolicy } from '../scenario/fleet-policy.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { simulate } from '../simulation/simulate.ts';

/** One scenario under several policies, each of which meets the same requests. */
export interface Experiment extends Omit<Scenario, 'policy'> {
  /** What it shows. */
  readonly title?: string | undefined;
  /** Policies by name; or one, as `policy`. */
  readonly policies?: Readonly<Record<string, FleetPolicy | ClientFactory>> | undefined;
  readonly policy?: FleetPolicy | ClientFactory | undefined;
}

/** What came of one policy. */
export interface ExperimentResult {
  readonly name: string;
  readonly trace: Trace;
}

const text: Check = (path, value) => {
  if (typeof value !== 'string') throw wrong(path, 'a text', value);
};

const checkPolicies: Check = (path, value) => {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    Object.keys(value).length === 0
  ) {
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
 * Holds what was given, be it out of a file, against what an experiment is.
 * @throws ScenarioError that begins with the path of the field that is wrong
 */
export function checkExperiment(value: unknown): asserts value is Experiment {
  checkFields('', value);
  const experiment = value as Experiment;
  checkIntervals(experiment);
  if (experiment.policy !== undefined && experiment.policies !== undefined) {
    throw new ScenarioError('policy and policies exclude each other: a single policy may be one of several');
  }
}

/** How an experiment is run. */
export interface ExperimentOptions {
  /** @default 1 */
  readonly seed?: number | undefined;
  /** Is told now and then how much is done, from 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * Runs an experiment: one trace for each policy.
 * @throws ScenarioError for an experiment that cannot be run
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
