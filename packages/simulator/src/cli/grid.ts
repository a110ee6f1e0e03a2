// The whole grid of the study of that name. Prints the table of the runs in data/grid.csv; `--measure` runs them again before, two
// processes at a time, which takes half an hour of both. With names only these schemes:
//   pnpm example packages/simulator/src/cli/grid.ts --measure 'adaptiveThrottle()' Both
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { linesOf, runWorlds } from '../studies/grid/runs.ts';
import { SCHEMES } from '../studies/grid/schemes.ts';
import { WORLDS } from '../studies/grid/worlds.ts';
import { csvText, tableText } from '../studies/table.ts';
import { ProgressBar } from './progress.ts';
import { RECORDED, recordedGrid, recordedRuns } from './recorded-grid.ts';

const SEEDS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8];
const AT_A_TIME = 2;

/** Runs a scheme in all worlds with one seed. */
function percentsOf(scheme: string, seed: number): readonly number[] {
  const policy = SCHEMES[scheme];
  if (policy === undefined) throw new RangeError(`there is no scheme ${scheme}`);
  return runWorlds(WORLDS, { [scheme]: policy }, [seed]).map(({ percents }) => percents[scheme]?.[0] ?? 0);
}

/** Runs a scheme with one seed in a process of its own. */
function inProcess(scheme: string, seed: number): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, ['--seed', String(seed), scheme]);
    child.once('message', (percents) => resolve(percents as readonly number[]));
    child.once('exit', (code) => reject(new Error(`${scheme}, seed ${seed}: exit ${code}`)));
  });
}

/** Runs a scheme with all seeds, and writes it into the file beside the others. */
async function measure(scheme: string, onProgress: (share: number) => void): Promise<void> {
  const found: (readonly number[])[] = [];
  const left = [...SEEDS];
  let done = 0;
  const work = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      found[seed - 1] = await inProcess(scheme, seed);
      done += 1;
      onProgress(done / SEEDS.length);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const before = recordedRuns();
  const all = WORLDS.map((world, at) => {
    const percents = { ...before[at]?.percents, [scheme]: found.map((own) => own[at] as number) };
    const inOrder = Object.keys(SCHEMES).flatMap((name) =>
      percents[name] === undefined ? [] : [[name, percents[name]] as const],
    );
    return { world, percents: Object.fromEntries(inOrder) };
  });
  const { columns, rows } = linesOf(all);
  writeFileSync(RECORDED, csvText(columns, rows));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { measure: { type: 'boolean' }, seed: { type: 'string' } },
});
if (values.seed !== undefined) {
  process.send?.(percentsOf(positionals[0] ?? '', Number(values.seed)));
} else {
  const schemes = positionals.length > 0 ? positionals : Object.keys(SCHEMES);
  const bar = new ProgressBar(process.stderr, 'grid');
  for (const [at, scheme] of values.measure ? schemes.entries() : []) {
    await measure(scheme, (share) => bar.show((at + share) / schemes.length));
  }
  bar.clear();
  process.stdout.write(tableText(recordedGrid.run().table));
}
