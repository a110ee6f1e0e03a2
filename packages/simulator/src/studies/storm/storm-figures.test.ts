import { expect, test } from 'vitest';
import { type ExperimentResult, runExperiment } from '../experiment.ts';
import { storm, stormPolicies } from './storm.ts';
import { STORM_REPEATED, stormFigure } from './storm-figures.ts';

const SIZE = { clients: 450, requestsPerSecond: 90 };
const { Memorystore = {}, '+ budget': budget = {} } = stormPolicies(SIZE);

/** The results of the storm, where all but the budget and the throttle do as Memorystore does. */
function resultsOf(seed: number): ExperimentResult[] {
  const [own, other] = runExperiment(storm({ budget, Memorystore }, SIZE), { seed });
  return Object.keys(stormPolicies(SIZE)).map((name) => {
    return { ...((['+ budget', '+ throttle'].includes(name) ? own : other) as ExperimentResult), name };
  });
}

test('the storm names the time of the worst seed, and has a band for each line', () => {
  const seeds = [1, 2].map(resultsOf);
  const [results = [], ...repeats] = seeds;
  const secondsOf = (svg: string): number => Number(/recovers in (\d+)/.exec(svg)?.[1]);
  const times = seeds.map((one) => secondsOf(stormFigure(one)));
  const both = stormFigure(results, repeats);
  expect(times[0]).not.toBe(times[1]);
  expect(secondsOf(both)).toBe(Math.max(...times));
  expect(both).toContain('the range of 2 seeds');
  expect(both.match(/fill-opacity="0.25"/g)).toHaveLength(STORM_REPEATED.policies.length);
});
