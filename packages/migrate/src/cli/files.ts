import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { languageOf } from '../file/source.ts';

/** Folders whose programs are made by others, or by a build. */
const FOREIGN = /^(node_modules|dist|build|coverage|\..+)$/;

function programsBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) =>
    one.name < other.name ? -1 : 1,
  );
  return entries.flatMap((entry) => {
    const path = `${folder.replace(/\/$/, '')}/${entry.name}`;
    if (entry.isDirectory()) return FOREIGN.test(entry.name) ? [] : programsBelow(path);
    return entry.isFile() && languageOf(path) !== undefined ? [path] : [];
  });
}

/** The programs that some paths name: folders stand for all programs in them. */
export function programsIn(paths: readonly string[]): string[] {
  return paths.flatMap((path) => (statSync(path).isDirectory() ? programsBelow(path) : [path]));
}

/** Why writing a file could lose something; `undefined` if git has all of it. */
export function unsaved(path: string): string | undefined {
  const file = resolve(path);
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: dirname(file), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    if (git('ls-files', '--', file) === '') return 'git does not know it';
    return git('status', '--porcelain', '--', file) === '' ? undefined : 'it has uncommitted changes';
  } catch {
    return 'it is in no git repository';
  }
}
