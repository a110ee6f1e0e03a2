// Runs a benchmark by name: pnpm bench size
// One that consists of parts measures each row in a process of its own: pnpm bench overhead fetch axios --rounds 5 --only ebb
import { benches, hasParts } from './measure/benches.ts';
import { reportParts } from './measure/parts.ts';

const [name = ''] = process.argv.slice(2);
if (!benches().includes(name)) {
  console.error(`pnpm bench NAME, where NAME is one of: ${benches().join(', ')}`);
  process.exit(1);
}
await (hasParts(name) ? reportParts(name) : import(`./${name}.ts`));
