import { execFileSync } from 'node:child_process';
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { devNull } from 'node:os';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';

/** Options that keep programs of a repository from running: the repository's configuration can name programs. */
const SAFE = [
  ...['--no-pager', '--no-optional-locks', '--no-replace-objects', '--literal-pathspecs'],
  ...['-c', 'core.fsmonitor=false', '-c', `core.hooksPath=${devNull}`, '-c', 'safe.bareRepository=explicit'],
];

/** Variables that name another repository than a file's own. A git hook has these variables. */
const ELSEWHERE =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX)$/;

/** The output of git about a folder. */
function git(folder: string, ...args: string[]): Buffer {
  const kept = Object.entries(process.env).filter(([name]) => !ELSEWHERE.test(name));
  // Objects that are missing are not fetched, by whatever program.
  const env = { ...Object.fromEntries(kept), GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' };
  return execFileSync('git', [...SAFE, '-C', folder, ...args], {
    // Windows looks for programs in this folder first.
    cwd: dirname(process.execPath),
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  });
}

/** The text with line feeds alone at its line ends, because git may change line ends. */
function withoutCr(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll('\r\n', '\n');
}

/** Mode and name of an object, from a line of `ls-files` or `ls-tree`. */
function objectIn(listing: Buffer): string | undefined {
  const entries = listing.toString().split('\0').filter(Boolean);
  const [, mode, object] = /^(\d+) (?:blob )?([\da-f]{40,})/.exec(entries[0] ?? '') ?? [];
  return entries.length === 1 && mode?.startsWith('100') ? object : undefined;
}

/**
 * Why writing a file could lose something; `undefined` if git has all of it. It is compared by its content: there are flags
 * that make git not look.
 *
 * @param path without links
 */
export function whyUnsaved(path: string, content: Buffer): string | undefined {
  const [folder, name] = [dirname(path), basename(path)];
  let index: Buffer;
  try {
    index = git(folder, 'ls-files', '--stage', '-z', '--', name);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? 'there is no git to ask' : 'it is in no git repository';
  }
  if (index.length === 0) return 'git does not know it';
  try {
    const object = objectIn(index);
    const isCommitted =
      object !== undefined && object === objectIn(git(folder, 'ls-tree', '-z', 'HEAD', '--', name));
    if (isCommitted && withoutCr(git(folder, 'cat-file', 'blob', object)) === withoutCr(content))
      return undefined;
  } catch {
    // There is no commit yet, or the object is missing.
  }
  return 'it has uncommitted changes';
}

function repositoryOf(folder: string): string | undefined {
  try {
    return git(folder, 'rev-parse', '--show-toplevel').toString().replace(/\n$/, '');
  } catch {
    return undefined;
  }
}

/** The folders in which the links stand that a path goes through. */
function foldersOfLinks(path: string): string[] {
  const { root } = parse(resolve(path));
  const folders: string[] = [];
  const walk = (from: string, names: readonly string[], links: number): void => {
    let at = from;
    for (const [index, name] of names.entries()) {
      const next = join(at, name);
      if (links < 40 && lstatSync(next).isSymbolicLink()) {
        folders.push(realpathSync(at));
        const target = resolve(realpathSync(at), readlinkSync(next));
        const { root: of } = parse(target);
        walk(
          of,
          [...target.slice(of.length).split(sep).filter(Boolean), ...names.slice(index + 1)],
          links + 1,
        );
        return;
      }
      at = next;
    }
  };
  walk(root, resolve(path).slice(root.length).split(sep).filter(Boolean), 0);
  return folders;
}

/** True for a path by which a link that stands in a repository leads out of it. */
export function leadsOut(path: string): boolean {
  const real = realpathSync(path);
  const folders = foldersOfLinks(path);
  if (folders.length === 0) return false;
  const target = repositoryOf(lstatSync(real).isDirectory() ? real : dirname(real));
  return folders.some((folder) => {
    const of = repositoryOf(folder);
    return of !== undefined && of !== target;
  });
}
