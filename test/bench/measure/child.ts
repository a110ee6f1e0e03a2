// Measures one row of a part, and prints the sample. Started by processes.ts.
import { pathToFileURL } from 'node:url';
import type { Part, Row } from './part.ts';

const [path = '', row = ''] = process.argv.slice(2);
const { default: part } = (await import(pathToFileURL(path).href)) as { default: Part };
const sample = await part.measure(JSON.parse(row) as Row);
for (const [name, value] of Object.entries(sample)) {
  if (!Number.isFinite(value)) throw new Error(`${part.title}, ${row}: ${name} is ${value}`);
}
process.stdout.write(JSON.stringify(sample), () => process.exit(0));
