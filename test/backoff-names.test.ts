import { expect, test } from 'vitest';
import { RULES as PLAYGROUND } from '../examples/playground/policy.ts';
import { CHOICES } from '../examples/playground/settings.ts';
import { RULES } from '../packages/core/test/rules.ts';
import { BACKOFFS } from '../packages/simulator/src/scenario/named-options.ts';

test.each([
  ['a scenario of the simulator', Object.keys(BACKOFFS)],
  ['the playground', Object.keys(PLAYGROUND)],
  ['the choices of the playground', CHOICES.rule.map(([name]) => name)],
])('%s can name each backoff rule', (_, names) => {
  expect([...names].sort()).toEqual(RULES);
});
