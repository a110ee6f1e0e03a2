import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configOf, type Row } from './matrix.ts';
import { programsFolder } from './programs.ts';

const folder = programsFolder();
const tsc = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');

/** The errors in the programs of a row and in ebb's declarations, without those in other packages. */
function complaints(row: Row): Promise<string[]> {
  const config = join(folder, `${row.join('-').replaceAll(' ', '-')}.json`);
  writeFileSync(config, JSON.stringify(configOf(row)));
  const options = { cwd: folder, maxBuffer: 2 ** 26 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [tsc, '-p', config, '--pretty', 'false'], options, (failure, stdout) => {
      const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
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
});
