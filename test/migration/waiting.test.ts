import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Bytes of the heap for each of 10,000 waiting calls, on Node 24. */
const RECORDED = {
  'ebb, defaults': 283,
  'p-throttle': 707,
  'p-throttle, `strict`': 866,
  'p-queue': 906,
  'axios-rate-limit': 2_738,
  'limiter, `TokenBucket`': 707,
};

test.each(Object.entries(RECORDED))('%s: %i bytes', async (name, recorded) => {
  const program = join(import.meta.dirname, 'waiting.ts');
  const args = ['--expose-gc', '--conditions=@ebb/source', program, name];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect(Number(stdout)).toBeGreaterThan(0.9 * recorded);
  expect(Number(stdout)).toBeLessThan(1.1 * recorded);
});
