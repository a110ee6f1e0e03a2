// Runs a benchmark by name: pnpm bench size
import { benches } from './measure/benches.ts';

const [name = ''] = process.argv.slice(2);
if (!benches().includes(name)) {
  console.error(`pnpm bench NAME, where NAME is one of: ${benches().join(', ')}`);
  process.exit(1);
}
await import(`./${name}.ts`);
