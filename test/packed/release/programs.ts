import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Block } from '../../page-blocks.ts';
import { upstream } from '../../server.ts';
import { firstProgramOf, usersEnv } from './project.ts';
import type { Result } from './result.ts';

const root = join(import.meta.dirname, '../../..');

/** The pages that a new user starts with. */
export const PAGES: readonly string[] = [
  'README.md',
  ...globSync('packages/*/README.md', { cwd: root }).sort(),
];

/** A program, and what it prints if its page says so. */
type Program = Pick<Block, 'code' | 'prints'>;

/** The file that a page tells its readers to save its first program as, of JavaScript or TypeScript. */
function fileOf(page: string): string {
  const [, name] = existsSync(join(root, page))
    ? (/save this as `([\w.-]+)`/i.exec(readFileSync(join(root, page), 'utf8')) ?? [])
    : [];
  return `${page.replaceAll(/\W/g, '-')}-${name ?? 'program.mts'}`;
}

/** What is wrong with a run: it printed something else than its page says, or sent its one request once. */
function problemsOf(stdout: string, sent: number, prints: string | undefined): string[] {
  const problems = sent === 1 ? ['sent one request, and did not retry after its 503'] : [];
  if (prints !== undefined && stdout !== prints)
    problems.push(`printed\n${stdout}and its page says\n${prints}`);
  return problems;
}

/**
 * Runs the program in a folder with installed packages. Its upstream fails once; a program may also send no request to it, for
 * instance because it has a server of its own.
 */
export async function runProgram(
  page: string,
  program: Program | undefined,
  folder: string,
): Promise<Result> {
  const result = { check: 'program', subject: page };
  if (program === undefined) return { ...result, figure: 'none', problems: ['has no block of TypeScript'] };
  const server = await upstream([
    { status: 503, body: 'down' },
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' },
  ]);
  const file = join(folder, fileOf(page));
  writeFileSync(file, program.code);
  const options = { cwd: folder, env: usersEnv({ UPSTREAM_URL: server.url }), timeout: 60_000 };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file], options);
    const sent = server.seen.length;
    const figure = sent === 0 ? 'runs' : `runs, ${sent} requests`;
    return { ...result, figure, problems: problemsOf(stdout, sent, program.prints) };
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
