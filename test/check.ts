// The checks that `test` leaves out, because they take longer or need further packages, programs or servers:
//   pnpm check                            lists them
//   pnpm check runtimes -t 'Bun › axios'  runs one; what follows its name goes to its last command
import { spawnSync } from 'node:child_process';
import { CHECKS, type Check } from './checks.ts';

/** Runs a command, and ends this program if it fails. */
function run(command: string, args: readonly string[] = []): void {
  const [program = '', ...own] = command.split(' ');
  const { status, error } = spawnSync(program, [...own, ...args], { stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

function start({ needs = [], commands }: Check, args: readonly string[]): void {
  for (const folder of needs) run(`pnpm -C ${folder} install --frozen-lockfile --prefer-offline --silent`);
  for (const command of commands.slice(0, -1)) run(command);
  run(commands.at(-1) ?? '', args);
}

const [name, ...args] = process.argv.slice(2);
const found = CHECKS[name ?? ''];
if (found !== undefined) {
  start(found, args);
} else {
  const width = Math.max(...Object.keys(CHECKS).map(({ length }) => length));
  const lines = Object.entries(CHECKS).map(([each, { about }]) => `  ${each.padEnd(width)}  ${about}`);
  console.log(`pnpm check NAME [arguments]\n\n${lines.join('\n')}`);
  if (name !== undefined) {
    console.error(`\nThere is no check "${name}".`);
    process.exitCode = 1;
  }
}
