// Mutation tests of core. What follows goes to Stryker:
//   pnpm check mutants --part 3/40                                    one of forty parts, each of whole files
//   pnpm check mutants --sum                                          one score of all parts that have been run
//   pnpm check mutants --mutate packages/core/src/queue/order.ts      a file
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { percentOf, readAll, scoreOf, sum, write } from './score.ts';

/** In percent. The whole of core must not fall below. */
const LEAST = 75;

function printSum(): void {
  const { files, total, missing } = sum(readAll());
  const rows = Object.entries(files).sort(([, one], [, other]) => percentOf(one) - percentOf(other));
  for (const [path, counts] of rows) console.log(`${percentOf(counts).toFixed(0).padStart(4)} %  ${path}`);
  const score = percentOf(total);
  console.log(`\n${JSON.stringify(total)}\n${score.toFixed(1)} % are killed`);
  if (missing.length > 0) console.log(`These parts are missing: ${missing.join(', ')}`);
  if (!(score >= LEAST)) process.exitCode = 1;
}

function mutate(part: string, args: readonly string[]): void {
  const stryker = 'test/mutants/node_modules/.bin/stryker';
  const { status } = spawnSync(stryker, ['run', 'test/mutants/stryker.config.js', ...args], {
    stdio: 'inherit',
    env: { ...process.env, EBB_MUTANTS_PART: part },
  });
  if (status !== 0) process.exit(status ?? 1);
  if (args.length === 0)
    write(scoreOf(part, JSON.parse(readFileSync('node_modules/.stryker-report.json', 'utf8'))));
}

const { values, tokens } = parseArgs({
  strict: false,
  tokens: true,
  options: { part: { type: 'string', default: '1/1' }, sum: { type: 'boolean' } },
});
/** The places of its own arguments. */
const own = tokens.flatMap((token) => {
  if (token.kind !== 'option' || !['part', 'sum'].includes(token.name)) return [];
  return token.name === 'part' && !token.inlineValue ? [token.index, token.index + 1] : [token.index];
});
const others = process.argv.slice(2).filter((_, at) => !own.includes(at));
if (values.sum) printSum();
else mutate(values.part as string, others);
