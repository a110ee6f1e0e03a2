// Measures rows of a part, and prints a line with the sample of each. Started by processes.ts with one.
import { pathToFileURL } from 'node:url';
import type { Part, Row } from './part.ts';

const [path = '', ...rows] = process.argv.slice(2);
const { default: part } = (await import(pathToFileURL(path).href)) as { default: Part };
let lines = '';
for (const row of rows) {
  const sample = await part.measure(JSON.parse(row) as Row);
  for (const [name, value] of Object.entries(sample)) {
    if (!Number.isFinite(value)) throw new Error(`${part.title}, ${row}: ${name} is ${value}`);
  }
  lines += `${JSON.stringify(sample)}\n`;
}
process.stdout.write(lines, () => process.exit(0));
