import { readFileSync } from 'node:fs';
import * as core from '@ebb/core';
import { expect, test } from 'vitest';
import type { ClientFactory } from '../packages/simulator/src/scenario/client-options.ts';
import { runExperiment } from '../packages/simulator/src/studies/experiment.ts';
import { storm, stormPolicies } from '../packages/simulator/src/studies/storm/storm.ts';

const page = readFileSync('README.md', 'utf8');

test('README.md has at most 700 words with its code, two commands on a clone, and six links', () => {
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(700);
  expect(page.match(/\bnpx .+?(?= {2}|$)/gm)).toEqual(['npx -y pnpm@12 demo', 'npx -y pnpm@12 test']);
  expect(page.match(/(?<!!)\[[^\]]+\]\([^)]+\)/g)).toHaveLength(6);
});

/** The options of the policy in the program, from its code, with limits on this clock. */
function shownPolicy(clock: core.Clock): core.PolicyOptions {
  const [, code = ''] = /createPolicy\((\{.*\})\)/.exec(page) ?? [];
  const names = { ...core, retryBudget: () => core.retryBudget({ clock }) };
  return new Function(...Object.keys(names), `return (${code})`)(...Object.values(names));
}

/** The storm of the figure, with a fleet and a server of a twentieth: the figure itself is a long test. */
const SIZE = { clients: 500, requestsPerSecond: 100 };

test('the policy of the program is the line with a budget in the figure below it', () => {
  const { Memorystore: without = {}, '+ budget': drawn = {} } = stormPolicies(SIZE);
  const shown: ClientFactory = ({ clock }) => ({ policy: shownPolicy(clock) });
  const results = runExperiment(storm({ shown, drawn, without }, SIZE));
  const [ours, theirs, worse] = results.map(({ trace }) => trace);
  expect(ours).toEqual(theirs);
  // Without the budget the fleet sends several times as much.
  expect(ours?.amplification).toBeLessThan(1.3);
  expect(worse?.amplification).toBeGreaterThan(3);
});

test('the text of the figure is its title', () => {
  const [, text = ''] = /!\[(.*)\]\(packages\/simulator\/figures\/storm\.svg\)/.exec(page) ?? [];
  const figure = readFileSync('packages/simulator/figures/storm.svg', 'utf8');
  expect(figure).toContain(text.replaceAll(/(\d) (s)/g, '$1\u00a0$2'));
});
