// Runs the commands of docs/figures.md and replaces the tables below them. With words: only the commands that contain one.
// Run: pnpm bench figures [overhead valkey …]
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf, withTable } from './measure/figures-page.ts';

const page = join(import.meta.dirname, '../../docs/figures.md');
const words = process.argv.slice(3);

for (const command of commandsOf(readFileSync(page, 'utf8'))) {
  if (words.length > 0 && !words.some((word) => command.includes(word))) continue;
  console.error(`bench ${command}`);
  const run = join(import.meta.dirname, 'run.ts');
  const { status, stdout } = spawnSync(process.execPath, [...process.execArgv, run, ...command.split(' ')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) {
    console.error(`bench ${command} failed: its table stays as it was.`);
    process.exitCode = 1;
  } else writeFileSync(page, withTable(readFileSync(page, 'utf8'), command, stdout));
}
