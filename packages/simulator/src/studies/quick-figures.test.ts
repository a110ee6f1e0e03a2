import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GOLDEN_STUDIES } from '../cli/golden.ts';

/** These draw their figures in a moment; `golden.test.ts` draws the others as well. */
const QUICK =
  /^(app-engine|api-gateway|treatments|retry-after|timeouts|slots|tenants|processes|priorities|grid)$/;

test.each(
  GOLDEN_STUDIES.filter(({ name }) => QUICK.test(name)).flatMap((study) =>
    study.figures.map((name, at) => [name, at, study] as const),
  ),
)('%s is drawn as it is in the repository, byte for byte', (name, at, study) => {
  const figure = readFileSync(new URL(`../../figures/${name}.svg`, import.meta.url), 'utf8');
  expect(study.run().figures[at]).toEqual({ name, svg: figure });
});
