// Mutation tests of core:
//   pnpm check mutants                                               all of it, in parts, and its score
//   pnpm check mutants --part 3/8                                    one of eight parts, each of whole files
//   pnpm check mutants --sum                                         one score of all parts that have been run
//   pnpm check mutants --mutate packages/core/src/queue/order.ts     a file; this and what follows it goes to Stryker
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { percentOf, readAll, scoreOf, sum, write } from './score.ts';

/** In percent. The whole of core must not fall below. */
const LEAST = 88;

const PARTS = 8;

function printSum(): void {
  const { files, total, missing } = sum(readAll());
  const rows = Object.entries(files).sort(([, one], [, other]) => percentOf(one) - percentOf(other));
  for (const [path, counts] of rows) console.log(`${percentOf(counts).toFixed(0).padStart(4)} %  ${path}`);
  const score = percentOf(total);
  console.log(`\n${JSON.stringify(total)}\n${score.toFixed(1)} % are killed`);
  if (missing.length > 0) console.log(`These parts are missing: ${missing.join(', ')}`);
  if (missing.length > 0 || !(score >= LEAST)) process.exitCode = 1;
}

function stryker(args: readonly string[], part = '1/1'): void {
  const { status } = spawnSync(
    'test/mutants/node_modules/.bin/stryker',
    ['run', 'test/mutants/stryker.config.js', ...args],
    { stdio: 'inherit', env: { ...process.env, EBB_MUTANTS_PART: part } },
  );
  if (status !== 0) process.exit(status ?? 1);
}

function mutate(part: string): void {
  stryker([], part);
  write(scoreOf(part, JSON.parse(readFileSync('node_modules/.stryker-report.json', 'utf8'))));
}

const [option, value, ...others] = process.argv.slice(2);
if (option === '--sum') printSum();
else if (option === '--part' && value !== undefined && others.length === 0) mutate(value);
else if (option !== undefined) stryker(process.argv.slice(2));
else {
  for (let part = 1; part <= PARTS; part++) mutate(`${part}/${PARTS}`);
  printSum();
}
