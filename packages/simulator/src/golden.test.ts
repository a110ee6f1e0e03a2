import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GOLDEN_STUDIES } from './golden.ts';

const directory = new URL('../figures/', import.meta.url);

describe('the figures in the repository', () => {
  const drawn = new Set<string>();

  test.each(GOLDEN_STUDIES.map((study) => [study.name, study] as const))(
    '%s: the same seed draws the same figures, byte for byte',
    { timeout: 120_000 },
    (_, study) => {
      for (const { name, svg } of study.run().figures) {
        drawn.add(`${name}.svg`);
        expect(svg, `${name} changed: pnpm figures draws it anew`).toBe(
          readFileSync(new URL(`${name}.svg`, directory), 'utf8'),
        );
      }
    },
  );

  test('there is none that nobody draws', () => {
    expect(readdirSync(directory).sort()).toEqual([...drawn].sort());
  });
});
