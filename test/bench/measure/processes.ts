import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Part, Row, Sample } from './part.ts';

/**
 * The samples of each row, one a round. Rows take turns, so that a slow minute of the machine is shared by all, and in an
 * order that chance decides anew in each round, so that none always follows the same one.
 */
export async function sampleRows(
  part: Part,
  partUrl: string,
  rows: readonly Row[],
  rounds: number,
): Promise<Map<Row, Sample[]>> {
  const samples = new Map(rows.map((row) => [row, [] as Sample[]]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const row of shuffled(rows)) {
      progress(`${part.title}: round ${round} of ${rounds}, ${row.group} ${row.name}`);
      samples.get(row)?.push(sampleInChild(part, partUrl, row));
    }
  }
  progress('');
  return samples;
}

function shuffled<T>(values: readonly T[]): T[] {
  const keyed = values.map((value) => ({ value, key: Math.random() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value);
}

function sampleInChild({ title, flags = [] }: Part, partUrl: string, row: Row): Sample {
  const child = join(import.meta.dirname, 'child.ts');
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      '--conditions=@ebb/source',
      '--no-warnings',
      ...flags,
      child,
      fileURLToPath(partUrl),
      JSON.stringify(row),
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (status !== 0) {
    console.error(`${title}: ${row.group} ${row.name} failed, so there is no table.`);
    process.exit(1);
  }
  return JSON.parse(stdout) as Sample;
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}
