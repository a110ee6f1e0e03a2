import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { countInstructions, hasValgrind, REPEATABLE } from '../guard/valgrind.ts';
import { SIZES } from './sizes.ts';

/** Twice as much to read may cost so many times the instructions. */
const MOST = 2.2;

const FLAGS = [
  ...REPEATABLE,
  // Without compilers each character takes the same number of instructions, however often.
  '--jitless',
  '--expose-gc',
  // Megabytes, more than a row allocates: no collection of garbage is counted.
  ...['--min-semi-space-size=64', '--max-semi-space-size=64'],
  ...['--initial-old-space-size=1000', '--no-memory-reducer'],
];

/** What is done once, in instructions. */
const FIXED = 4_000_000;

test.skipIf(!hasValgrind)(
  'reading what a server or a store says, or a file contains, takes no more than its length',
  { timeout: 900_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ebb-growth-'));
    try {
      const outfile = join(folder, 'parsers.mjs');
      await build({
        entryPoints: [fileURLToPath(new URL('parsers.ts', import.meta.url))],
        outfile,
        bundle: true,
        format: 'esm',
        platform: 'node',
        conditions: ['@ebb/source'],
        logLevel: 'error',
      });
      const { printed, instructions } = await countInstructions([...FLAGS, outfile]);
      const names = JSON.parse(printed) as readonly string[];
      const marks = SIZES.length + 1;
      const found = names.map(
        (name, at) => [name, instructions.slice(at * marks + 1, (at + 1) * marks)] as const,
      );
      const steep = found.filter(([, counts]) =>
        counts.some((count, at) => at > 0 && count > MOST * (counts[at - 1] as number) + FIXED),
      );
      expect(names.length).toBeGreaterThan(120);
      expect(steep).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
