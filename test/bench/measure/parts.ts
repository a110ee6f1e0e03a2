import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { partsOf, pathOf } from './benches.ts';
import type { Part } from './part.ts';
import { report } from './report.ts';

/** Measures the parts of a bench that the command line names, or all of them, and prints their tables. */
export async function reportParts(bench: string): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(3),
    allowPositionals: true,
    options: { rounds: { type: 'string' }, only: { type: 'string' } },
  });
  const parts = partsOf(bench);
  const unknown = positionals.find((name) => !parts.includes(name));
  if (unknown !== undefined) throw new Error(`${bench} has no part ${unknown}, only: ${parts.join(', ')}`);
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(rounds >= 1))
    throw new Error(`--rounds takes a number, got ${values.rounds}`);
  for (const name of positionals.length > 0 ? positionals : parts) {
    const url = pathToFileURL(pathOf(bench, name)).href;
    const { default: part } = (await import(url)) as { default: Part };
    await report(part, url, { rounds, only: values.only });
  }
}
