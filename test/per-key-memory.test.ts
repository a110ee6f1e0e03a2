import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';

const bench = join(import.meta.dirname, 'bench');

/** 462, 478, 582, 1,287 and 1,085 on Node 24. The heap is counted, so that a busy machine does not matter. */
const ROWS = [
  ['one request each', 500],
  ['… with a rate of its own for each key', 510],
  ['five requests each', 620],
  ['one request each, which has waited', 1_400],
  ['one request each of two units', 1_170],
] as const;

let measured: readonly number[] = [];
// One process measures all: its start takes longer than a row.
beforeAll(async () => {
  const child = join(bench, 'measure/child.ts');
  const part = join(bench, 'memory/keys.part.ts');
  const rows = ROWS.map(([name]) => JSON.stringify({ group: '', name }));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--conditions=@ebb/source', child, part, ...rows],
    { env: { ...process.env, NODE_OPTIONS: '', EBB_KEYS: '5000' } },
  );
  const lines = stdout.trimEnd().split('\n');
  measured = lines.map((line) => (JSON.parse(line) as { readonly bytes: number }).bytes);
}, 120_000);

test.each(ROWS.map(([name, most], at) => [name, most, at] as const))(
  'a bucket per key, %s: at most %i bytes',
  (_, most, at) => {
    expect(measured[at]).toBeGreaterThan(100);
    expect(measured[at]).toBeLessThanOrEqual(most);
  },
);
