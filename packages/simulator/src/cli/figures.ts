// Draws the figures of the repository again, or those of the studies that are named: pnpm example packages/simulator/src/cli/figures.ts grid
import { mkdir, writeFile } from 'node:fs/promises';
import { GOLDEN_STUDIES } from './golden.ts';

const directory = new URL('../../figures/', import.meta.url);
const names = process.argv.slice(2);

await mkdir(directory, { recursive: true });
for (const study of GOLDEN_STUDIES.filter(({ name }) => names.length === 0 || names.includes(name))) {
  for (const { name, svg } of study.run().figures) {
    await writeFile(new URL(`${name}.svg`, directory), svg);
    process.stdout.write(`figures/${name}.svg\n`);
  }
}
