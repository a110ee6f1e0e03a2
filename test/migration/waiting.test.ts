import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tablesOf } from './page.ts';

const [, rows = []] = tablesOf('docs/coming-from-limiters.md', 'Ten calls a second');

test('there are libraries', () => expect(rows.length).toBeGreaterThan(4));

test.each(rows)('%s: %s bytes', async (name = '', bytes = '') => {
  const recorded = Number(bytes.replace(',', ''));
  const program = join(import.meta.dirname, 'waiting.ts');
  const args = ['--expose-gc', '--conditions=@ebb/source', program, name];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  expect(Number(stdout)).toBeGreaterThan(0.9 * recorded);
  expect(Number(stdout)).toBeLessThan(1.1 * recorded);
});
