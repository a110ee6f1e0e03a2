import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('rows.ts', import.meta.url));

/** What a row finds in a process of its own, with so many clients that have nothing to do with it. */
export async function runAlone(row: string, others: number): Promise<unknown> {
  const args = ['--no-warnings', '--conditions=@ebb/source', program, row, String(others)];
  const { stdout } = await execute(process.execPath, args);
  return JSON.parse(stdout);
}
