// Mutation tests, of the packages of judged.ts:
//   pnpm check mutants                     all of them, in parts, and their scores
//   pnpm check mutants fetch               one of them
//   pnpm check mutants core --part 3/8     one of eight parts, each of whole files
//   pnpm check mutants core --sum          one score of all parts that have been run; without a name, that of each package
//   pnpm check mutants --mutate packages/core/src/queue/order.ts     a file; this and what follows it goes to Stryker
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { JUDGED, judgedBy } from './judged.ts';
import { percentOf, readAll, scoreOf, sum, write } from './score.ts';

function printSum(name: string): void {
  const { files, total, missing } = sum(readAll(name));
  const { least } = judgedBy(name);
  const rows = Object.entries(files).sort(([, one], [, other]) => percentOf(one) - percentOf(other));
  for (const [path, counts] of rows) console.log(`${percentOf(counts).toFixed(0).padStart(4)} %  ${path}`);
  const score = percentOf(total);
  console.log(`\n${JSON.stringify(total)}\n${name}: ${score.toFixed(1)} % are killed, wanted ${least} %\n`);
  if (missing.length > 0) console.log(`These parts of ${name} are missing: ${missing.join(', ')}`);
  if (missing.length > 0 || !(score >= least)) process.exitCode = 1;
}

function stryker(name: string, args: readonly string[], part = '1/1'): void {
  const { status } = spawnSync(
    'test/mutants/node_modules/.bin/stryker',
    ['run', 'test/mutants/stryker.config.js', ...args],
    { stdio: 'inherit', env: { ...process.env, EBB_MUTANTS_OF: name, EBB_MUTANTS_PART: part } },
  );
  if (status !== 0) process.exit(status ?? 1);
}

function mutate(name: string, part: string): void {
  stryker(name, [], part);
  write(scoreOf(name, part, JSON.parse(readFileSync('node_modules/.stryker-report.json', 'utf8'))));
}

function mutateAll(name: string): void {
  const { parts } = judgedBy(name);
  for (let part = 1; part <= parts; part++) mutate(name, `${part}/${parts}`);
  printSum(name);
}

const args = process.argv.slice(2);
const named = args[0]?.startsWith('--') ? undefined : args.shift();
if (named !== undefined) judgedBy(named);
const [option, value = '', ...others] = args;
const names = named === undefined ? Object.keys(JUDGED) : [named];
if (option === '--sum') for (const name of names) printSum(name);
else if (option === '--part' && others.length === 0) for (const name of names) mutate(name, value);
else if (option === undefined) for (const name of names) mutateAll(name);
else stryker(named ?? /packages\/(\w+)\//.exec(args.join(' '))?.[1] ?? 'core', args);
