// Plays cases that are drawn from their seeds:
//   pnpm check generate --seed 1 --cases 20000
//   pnpm check generate --seed 4711 --cases 1   plays one again
import { parseArgs } from 'node:util';
import { drawCase, lineOf } from './case.ts';
import { judge } from './oracle.ts';
import { play } from './play.ts';
import { Servers } from './server.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    cases: { type: 'string', default: '2000' },
    lanes: { type: 'string', default: '32' },
  },
});
const first = Number(values.seed);
const count = Number(values.cases);
const counts = new Map<string, number>();
let next = first;
let done = 0;

async function lane(): Promise<void> {
  const servers = await Servers.open();
  while (next < first + count) {
    const of = drawCase(next);
    next += 1;
    const played = await play(of, servers);
    for (const { rule, detail } of judge(played)) {
      counts.set(rule, (counts.get(rule) ?? 0) + 1);
      if ((counts.get(rule) ?? 0) <= 5) console.log(`${rule}: ${detail}\n  ${lineOf(of)}`);
    }
    done += 1;
  }
  servers.close();
}

const startMs = performance.now();
process.on('uncaughtException', (error) => console.log('uncaught', error));
process.on('unhandledRejection', (error) => console.log('unhandled', error));
await Promise.all(Array.from({ length: Math.min(count, Number(values.lanes)) }, lane));
const perSecond = (done / (performance.now() - startMs)) * 1_000;
console.log(`${done} cases, ${perSecond.toFixed()} per second`);
for (const [rule, found] of counts) console.log(`${String(found).padStart(6)} ${rule}`);
