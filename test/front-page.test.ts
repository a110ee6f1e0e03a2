import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FleetPolicy } from '../packages/simulator/src/scenario/fleet-policy.ts';
import { runExperiment } from '../packages/simulator/src/studies/experiment.ts';
import { storm, stormPolicies } from '../packages/simulator/src/studies/storm/storm.ts';

const page = readFileSync('README.md', 'utf8');

test('README.md has at most 700 words with its code, two commands on a clone, and six links', () => {
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(700);
  expect(page.match(/\bnpx .+?(?= {2}|$)/gm)).toEqual(['npx -y pnpm@12 demo', 'npx -y pnpm@12 test']);
  expect(page.match(/(?<!!)\[[^\]]+\]\([^)]+\)/g)).toHaveLength(6);
});

/** The options of the policy in the program, from its code: those of a throttle in place of one, as the simulator takes them. */
function shownPolicy(): FleetPolicy {
  const [, code = ''] = /createPolicy\((\{.*\})\)/.exec(page) ?? [];
  return new Function('adaptiveThrottle', `return (${code})`)((options = {}) => options);
}

/** The storm of the figure, with a fleet and a server of a twentieth: the figure itself is a long test. */
const SIZE = { clients: 500, requestsPerSecond: 100 };

test('the policy of the program is the line with a throttle in the figure below it', () => {
  const { Memorystore: without = {}, '+ throttle': drawn = {} } = stormPolicies(SIZE);
  const results = runExperiment(storm({ shown: shownPolicy(), drawn, without }, SIZE));
  const [ours, theirs, worse] = results.map(({ trace }) => trace);
  expect(ours).toEqual(theirs);
  // Without the throttle the fleet sends several times as much.
  expect(ours?.amplification).toBeLessThan(1.3);
  expect(worse?.amplification).toBeGreaterThan(3);
});

test('the text of the figure is its title', () => {
  const [, text = ''] = /!\[(.*)\]\(packages\/simulator\/figures\/storm\.svg\)/.exec(page) ?? [];
  const figure = readFileSync('packages/simulator/figures/storm.svg', 'utf8');
  expect(figure).toContain(text.replaceAll(/(\d) (s)/g, '$1\u00a0$2'));
});
