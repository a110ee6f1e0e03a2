import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const bench = join(import.meta.dirname, 'bench');

// 445, 461, 557, 1,270 and 1,062 on Node 24. The heap is counted, so that a busy machine does not matter.
test.each([
  ['one request each', 500],
  ['… with a rate of its own for each key', 510],
  ['five requests each', 620],
  ['one request each, which has waited', 1_400],
  ['one request each of two units', 1_170],
])('a bucket per key, %s: at most %i bytes', { timeout: 120_000 }, async (name, most) => {
  const child = join(bench, 'measure/child.ts');
  const part = join(bench, 'memory/keys.part.ts');
  const row = JSON.stringify({ group: '', name });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--conditions=@ebb/source', child, part, row],
    { env: { ...process.env, NODE_OPTIONS: '', EBB_KEYS: '20000' } },
  );
  const { bytes } = JSON.parse(stdout);
  expect(bytes).toBeGreaterThan(100);
  expect(bytes).toBeLessThanOrEqual(most);
});
