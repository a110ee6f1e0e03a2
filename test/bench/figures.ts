// Runs the commands of docs/figures.md and replaces the tables below them. With words: only the commands that contain one.
// Run: pnpm bench figures [overhead valkey …] [--rounds 5]
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commandsOf, markdownOf, withFolds, withTable } from './measure/figures-page.ts';

const page = join(import.meta.dirname, '../../docs/figures.md');
const { values, positionals } = parseArgs({
  args: process.argv.slice(3),
  allowPositionals: true,
  options: { rounds: { type: 'string' } },
});
const all = commandsOf(readFileSync(page, 'utf8'));
const words = positionals.length === 0 ? [''] : positionals;
const commands = all.filter((command) => words.some((word) => command.includes(word)));
if (commands.length === 0) throw new Error(`No command of the page contains ${positionals.join(' or ')}`);

writeFileSync(page, withFolds(readFileSync(page, 'utf8')));
for (const command of commands) {
  console.error(command);
  const [tool = '', ...args] = command.split(' ');
  const isBench = tool === 'bench';
  const program = isBench ? 'run.ts' : '../../packages/simulator/src/cli.ts';
  const rounds = isBench && values.rounds !== undefined ? ['--rounds', values.rounds] : [];
  const { status, stdout } = spawnSync(
    process.execPath,
    [...process.execArgv, join(import.meta.dirname, program), ...args, ...rounds],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (status !== 0) {
    console.error(`${command} failed: its table stays as it was.`);
    process.exitCode = 1;
  } else {
    const printed = isBench ? stdout : markdownOf(stdout);
    writeFileSync(page, withTable(readFileSync(page, 'utf8'), command, printed));
  }
}
