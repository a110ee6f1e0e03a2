import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { languageOf } from '../file/parse.ts';
import { leadsOut } from './git.ts';

/** Folders whose programs are made by others, or by a build. */
const FOREIGN = /^(node_modules|dist|build|coverage|\..+)$/;

/** Files with programs inside: they are not rewritten, and may be parts of a rewritten program. */
const EMBEDDING = /\.(vue|svelte|astro)$/;

/** A file that is looked at. */
export interface File {
  /** As it was named. */
  readonly path: string;
  /** Where it is: without links. */
  readonly real: string;
  /** True if it holds a program and something else. */
  readonly isEmbedding: boolean;
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) =>
    one.name < other.name ? -1 : 1,
  );
  return entries.flatMap((entry) => {
    const path = `${folder.replace(/\/$/, '')}/${entry.name}`;
    if (entry.isDirectory()) return FOREIGN.test(entry.name) ? [] : filesBelow(path);
    return entry.isFile() && (languageOf(path) !== undefined || EMBEDDING.test(path)) ? [path] : [];
  });
}

/** A name that is not UTF-8 leads nowhere, so the file cannot be read. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * The files that some paths name, each once. Folders stand for all programs in them; links in folders are not followed.
 *
 * @throws Error for what is neither a file nor a folder, or a link that leads out of its repository
 */
export function filesIn(paths: readonly string[]): File[] {
  const files = new Map<string, File>();
  for (const path of paths) {
    const stat = statSync(path);
    if (!stat.isDirectory() && !stat.isFile()) throw new Error(`${path}: it is neither a file nor a folder`);
    if (leadsOut(path)) throw new Error(`${path}: it is a link out of its repository; name what it leads to`);
    for (const one of stat.isDirectory() ? filesBelow(path) : [path]) {
      const real = realOf(one);
      if (!files.has(real)) files.set(real, { path: one, real, isEmbedding: EMBEDDING.test(basename(real)) });
    }
  }
  return [...files.values()];
}
