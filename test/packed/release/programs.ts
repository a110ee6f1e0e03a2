import { execFile } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { upstream } from '../../server.ts';
import { firstProgramOf, usersEnv } from './project.ts';
import type { Result } from './result.ts';

const root = join(import.meta.dirname, '../../..');

/** The pages that a new user starts with. */
export const PAGES: readonly string[] = [
  'README.md',
  ...globSync('packages/*/README.md', { cwd: root }).sort(),
];

/** Runs the program in a folder with installed packages. Its upstream fails once; a program may also send no request. */
export async function runProgram(page: string, code: string | undefined, folder: string): Promise<Result> {
  const result = { check: 'program', subject: page };
  if (code === undefined) return { ...result, figure: 'none', problems: ['has no block of TypeScript'] };
  const server = await upstream([
    { status: 503, body: 'down' },
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' },
  ]);
  const file = join(folder, `${page.replaceAll(/\W/g, '-')}.mts`);
  writeFileSync(file, code);
  const options = { cwd: folder, env: usersEnv({ UPSTREAM_URL: server.url }), timeout: 60_000 };
  try {
    await promisify(execFile)(process.execPath, [file], options);
    const sent = server.seen.length;
    const problems = sent === 1 ? ['sent one request, and did not retry after its 503'] : [];
    return { ...result, figure: sent === 0 ? 'runs' : `runs, ${sent} requests`, problems };
  } catch (error) {
    return {
      ...result,
      figure: 'does not run',
      problems: [`${(error as { stderr?: string }).stderr || error}`],
    };
  } finally {
    await server.close();
  }
}

/** Runs the first program of each page that a new user starts with. */
export async function checkPrograms(folder: string): Promise<Result[]> {
  const results: Result[] = [];
  for (const page of PAGES) results.push(await runProgram(page, firstProgramOf(page), folder));
  return results;
}
