// Calls one subject under valgrind, which counts the instructions between the marks. Prints the calls between two of them.
import { callsInTurn } from '../ours/clients.ts';
import type { Company } from '../ours/company.ts';
import type { Kind } from '../rivals/rival.ts';

/** A multiple of the number of clients. */
const CALLS = 100;
const WARM_CALLS = 3_000;

const [kind = '', name = '', company = ''] = process.argv.slice(2);
const run = await callsInTurn(kind as Kind, name, company as Company);
await run(WARM_CALLS);
for (let round = 0; round < 4; round += 1) {
  process.uptime();
  await run(CALLS);
}
process.uptime();
console.log(CALLS);
