import { describe, expect, test } from 'vitest';
import { articleStudy } from './race-study.ts';

const titleOf = (svg: string): string => /font-weight="600">(.*?)<\/text>/.exec(svg)?.[1] ?? '';

describe('the race with other settings', () => {
  const { table, figures, csv } = articleStudy({ clients: [3, 5], capMs: 20, networkMeanMs: 1 }).run();

  test('has a point for each number of clients, and names its settings', () => {
    expect(table.columns).toEqual(['rule', '3 clients', '5 clients']);
    expect(csv.rows).toHaveLength(5 * 2);
    for (const { svg } of figures) expect(svg).toContain('Base 5 ms, cap 20 ms; messages take 1 ± 2 ms.');
  });

  test('has no title with a finding that its figure does not show', () => {
    expect(figures.map(({ svg }) => titleOf(svg))).toEqual([
      'How many calls five backoff rules need',
      'How long each jitter takes, and no backoff',
      'How long exponential backoff takes, without jitter and with it',
    ]);
  });

  test('a single number of clients gives a point for each rule', () => {
    const [calls] = articleStudy({ clients: [4] }).run().figures;
    expect(calls?.svg.match(/<circle /g)).toHaveLength(5);
  });
});

test('a study knows the names of its figures before it is run', () => {
  const study = articleStudy({ clients: [2] });
  expect(study.figures).toEqual(study.run().figures.map(({ name }) => name));
});
