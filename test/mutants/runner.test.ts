import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const sample = fileURLToPath(new URL('sample/run.ts', import.meta.url));

// On a machine that stands still for half a second a test of a mutant is late.
test('a mutant is killed by a test that fails or is late, survives if all pass, and must leave nothing', {
  retry: 2,
}, async () => {
  // The runner writes there how long each test took.
  const cwd = await mkdtemp(join(tmpdir(), 'ebb-mutants-'));
  const { stdout } = await promisify(execFile)(process.execPath, [sample], {
    cwd,
    env: { PATH: process.env.PATH },
  });
  await rm(cwd, { recursive: true });
  const file = 'test/mutants/sample/sum.cases.ts';
  expect(JSON.parse(stdout)).toEqual([
    [`${file} > of nothing`, `${file} > of two`],
    ['killed', `${file} > of two`, expect.stringContaining('expected -1 to be 3')],
    ['survived', ''],
    ['killed', `${file} > of nothing`, expect.stringMatching(/^took more than \d+/)],
    ['a mutant has left something'],
    ['an earlier mutant has left something'],
  ]);
});
