import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Study } from '../src/studies/study.ts';

const directory = new URL('../figures/', import.meta.url);

/** Runs a study, whose figures must be those in the repository, byte for byte. Returns the names of their files. */
export function expectRecorded(study: Study): string[] {
  const { figures } = study.run();
  expect(figures.map(({ name }) => name)).toEqual(study.figures);
  for (const { name, svg } of figures)
    expect(
      svg,
      `${name} has changed; pnpm example packages/simulator/src/cli/figures.ts draws it again`,
    ).toBe(readFileSync(new URL(`${name}.svg`, directory), 'utf8'));
  return figures.map(({ name }) => `${name}.svg`);
}
