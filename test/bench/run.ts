// Runs a benchmark by name: pnpm bench size
import { readdirSync } from 'node:fs';

const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -'.ts'.length));
const [name = ''] = process.argv.slice(2);
if (!benches.includes(name)) {
  console.error(`pnpm bench NAME, where NAME is one of: ${benches.join(', ')}`);
  process.exit(1);
}
await import(`./${name}.ts`);
