import { mkdir, writeFile } from 'node:fs/promises';
import { GOLDEN_STUDIES } from '../studies/golden.ts';

const directory = new URL('../../figures/', import.meta.url);

await mkdir(directory, { recursive: true });
for (const study of GOLDEN_STUDIES) {
  for (const { name, svg } of study.run().figures) {
    await writeFile(new URL(`${name}.svg`, directory), svg);
    process.stdout.write(`figures/${name}.svg\n`);
  }
}
