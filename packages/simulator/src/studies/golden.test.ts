import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectRecorded } from '../../test/recorded-figures.ts';
import { GOLDEN_STUDIES } from '../cli/golden.ts';
import { experimentStudy } from './experiment-study.ts';
import { storm, stormPolicies } from './storm/storm.ts';
import { tableText } from './table.ts';

const directory = new URL('../../figures/', import.meta.url);

/** These take as long as all other tests of a package, so only `pnpm check long` draws them. */
const LONG = [
  'storm',
  'adaptive',
  'concurrency',
  'storm-fleets',
  'silence',
  'shard',
  'comes-back',
  'grid-outside',
];
const isLong = process.env.EBB_LONG !== undefined;
const drawnHere = GOLDEN_STUDIES.filter(({ name }) => isLong || !LONG.includes(name));

describe('the figures in the repository', () => {
  const drawn = new Set<string>();

  test.each(drawnHere.map((study) => [study.name, study] as const))(
    '%s: the same seed draws the same figures, byte for byte',
    (_, study) => {
      for (const name of expectRecorded(study)) drawn.add(name);
    },
  );

  test('are all drawn by a study', () => {
    const rest = isLong ? [] : GOLDEN_STUDIES.filter(({ name }) => LONG.includes(name));
    const others = rest.flatMap(({ figures }) => figures.map((name) => `${name}.svg`));
    expect(readdirSync(directory).sort()).toEqual([...drawn, ...others].sort());
  });
});

/** A title as it is written in Markdown, with plain quotation marks and spaces. */
function plain(text: string): string {
  return text.replaceAll('’', "'").replaceAll('\u00a0', ' ').replaceAll('&quot;', '"');
}

test.each(['../../README.md', '../../../../README.md'])('%s describes each figure by its title', (path) => {
  const page = new URL(path, import.meta.url);
  const figures = [...readFileSync(page, 'utf8').matchAll(/!\[(.*?)\]\((.*?\.svg)\)/g)];
  expect(figures.length).toBeGreaterThan(0);
  for (const [, said = '', file = ''] of figures) {
    const [, title = ''] = /aria-label="(.*?)"/.exec(readFileSync(new URL(file, page), 'utf8')) ?? [];
    expect(plain(title).startsWith(plain(said)), `${said}: the title of ${file} is ${title}`).toBe(true);
  }
});

test('a small storm: the same seed gives the same table', async () => {
  const size = { clients: 1_125, requestsPerSecond: 225 };
  const { table } = experimentStudy('storm-small', '', storm(stormPolicies(size), size)).run();
  await expect(tableText(table)).toMatchFileSnapshot('../../data/storm-small.txt');
});
