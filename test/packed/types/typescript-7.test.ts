import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configOf, type Row } from './matrix.ts';
import { MISSPELT, PLACES } from './misspelt.ts';
import { programsFolder } from './programs.ts';

const folder = programsFolder();
const tsc = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');

/** The errors in the programs of a row and in ebb's declarations, without those in other packages. */
function complaints(row: Row, further: object = {}): Promise<string[]> {
  const config = join(folder, `${row.join('-').replaceAll(' ', '-')}.json`);
  writeFileSync(config, JSON.stringify({ ...configOf(row), ...further }));
  const options = { cwd: folder, maxBuffer: 2 ** 26 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [tsc, '-p', config, '--pretty', 'false'], options, (failure, stdout) => {
      // The further lines of an error are indented.
      const errors = stdout.split(/\n(?! )/).filter((error) => error.includes('error TS'));
      if (failure !== null && errors.length === 0) reject(failure);
      resolve(errors.filter((line) => !line.includes('node_modules/') || line.includes('@ebb/')));
    });
  });
}

// TypeScript 7 has no API to share parsed files between rows, but it is fast.
describe('TypeScript 7', () => {
  const rows: Row[] = [
    ['node16', 'node'],
    ['nodenext', 'node'],
    ['bundler', 'dom'],
    ['bundler', 'node and dom'],
    ['bundler', 'bun'],
    ['bundler', 'bun and dom'],
    ['bundler', 'workers'],
    ['nodenext', 'dom', 'es2020'],
    ['bundler', 'dom', 'es2021'],
    ['bundler', 'workers', 'es2021'],
  ];
  test.for(rows)('%s, with the types of %s, %s', async (row) => {
    expect(await complaints(row)).toEqual([]);
  });

  test('a misspelt option is one short error', async () => {
    writeFileSync(join(folder, 'misspelt.mts'), MISSPELT);
    const found = await complaints(['nodenext', 'node'], { files: ['misspelt.mts'] });
    expect(found).toHaveLength(PLACES);
    for (const complaint of found) {
      expect(complaint).toContain('maxRetries');
      expect(complaint.split('\n').length).toBeLessThanOrEqual(5);
    }
  });
});
