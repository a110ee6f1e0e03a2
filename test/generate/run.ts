// Plays cases that are drawn from their seeds:
//   pnpm check generate --seed 1 --cases 20000
//   pnpm check generate --seed 4711 --cases 1      plays one again, and shows what happens
//   pnpm check generate --case '{"client": …}'     plays that of a report
import { parseArgs } from 'node:util';
import { type Case, drawCase } from './case.ts';
import { Escapes } from './escapes.ts';
import { Examiner } from './examine.ts';
import { Lanes } from './lanes.ts';
import { Report } from './report.ts';
import { show } from './show.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    cases: { type: 'string', default: '2000' },
    lanes: { type: 'string', default: '32' },
    /** One case, in JSON: what a report prints. */
    case: { type: 'string' },
  },
});
const first = Number(values.seed);
const count = Number(values.cases);
const ROUND = 1_000;

async function main(): Promise<void> {
  const escapes = new Escapes();
  const lanes = new Lanes(escapes);
  const examiner = await Examiner.open(escapes);
  const report = new Report(examiner);
  if (values.case !== undefined || count === 1) {
    const of = { ...drawCase(first), ...(JSON.parse(values.case ?? '{}') as Partial<Case>) };
    const { played, complaints } = await examiner.play(of);
    show(of, played, complaints);
    process.exit(complaints.length > 0 ? 1 : 0);
  }
  const startMs = performance.now();
  for (let at = first; at < first + count; at += ROUND) {
    const left = Math.min(ROUND, first + count - at);
    await lanes.play({ first: at, count: left, lanes: Math.min(left, Number(values.lanes)) });
    const perSecond = (lanes.done / (performance.now() - startMs)) * 1_000;
    console.error(
      `${lanes.done} of ${count} cases, ${perSecond.toFixed()} per second, ${lanes.found.length} complaints`,
    );
    await report.examine(lanes);
  }
  lanes.close();
  examiner.close();
  process.exit(report.end() ? 0 : 1);
}

// Not by a rejection of the module: those are taken for escapes of a case.
main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
