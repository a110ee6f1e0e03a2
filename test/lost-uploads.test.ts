import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

interface Report {
  readonly hits: number;
  readonly results: Readonly<
    Record<string, { readonly error: string; readonly isClosed: boolean; readonly isFree: boolean }>
  >;
}

test('a file that cannot be opened, before it is sent, rejects its call, and does not end the process', async () => {
  const args = ['--conditions=@ebb/source', join(import.meta.dirname, 'lost-uploads.ts')];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 50_000 });
  const { hits, results } = JSON.parse(stdout) as Report;
  const wrong = Object.entries(results).filter(([name, { isClosed, isFree, error }]) => {
    const isRight = name.includes('nothing') ? error !== 'late' : error === 'ENOENT';
    return !isClosed || !isFree || !isRight;
  });
  expect(wrong).toEqual([]);
  expect([hits, Object.keys(results).length]).toEqual([0, 28]);
});
