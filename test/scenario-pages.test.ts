import { expect, test } from 'vitest';
import { checkExperiment, runExperiment } from '../packages/simulator/src/studies/experiment.ts';
import { experimentTable } from '../packages/simulator/src/studies/experiment-study.ts';
import { tableText } from '../packages/simulator/src/studies/table.ts';
import { blocksOf, documentedPages } from './page-blocks.ts';

const scenarios = documentedPages()
  .flatMap(blocksOf)
  .filter(({ language, prints }) => language === 'json' && prints !== undefined);

test('there are scenarios', () => {
  expect(scenarios.length).toBeGreaterThan(1);
});

test.each(scenarios.map((block) => [`${block.page}:${block.line}`, block] as const))(
  'the scenario at %s prints the table below it',
  (_, { code, prints }) => {
    const scenario: unknown = JSON.parse(code);
    checkExperiment(scenario);
    const { columns, rows } = experimentTable(runExperiment(scenario), scenario.durationMs);
    expect(tableText({ columns, rows })).toBe(prints);
  },
);
