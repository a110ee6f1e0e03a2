import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fault } from './fault.ts';

/** The endings of a config file. */
const ENDINGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'] as const;

const LIST = ENDINGS.map((ending) => `.${ending}`).join(', ');

/** The folders that may hold the config: from the given one up to the nearest with a package.json, else that one alone. */
function foldersFrom(start: string): readonly string[] {
  const folders = [start];
  for (let folder = start; !existsSync(join(folder, 'package.json')); ) {
    const parent = dirname(folder);
    if (parent === folder) return [start];
    folders.push(parent);
    folder = parent;
  }
  return folders;
}

/** @throws Error if the file does not exist, or has another ending */
function named(path: string): string {
  if (!existsSync(path)) throw fault(`EBB_CONFIG names ${path}, which does not exist`);
  if (!ENDINGS.some((ending) => path.endsWith(`.${ending}`))) {
    throw fault(`EBB_CONFIG names ${path}, which is not one of ${LIST}`);
  }
  return path;
}

/**
 * The path of the config: the file that `EBB_CONFIG` names, relative to `directory`, or the `ebb.config.*` nearest to
 * `directory`, not above the nearest package.json. `undefined` if there is none.
 *
 * @throws Error if `EBB_CONFIG` names no config, and for two configs in one folder
 */
export function findConfig(directory: string, name: string | undefined): string | undefined {
  if (name) return named(resolve(directory, name));
  for (const folder of foldersFrom(directory)) {
    const names = ENDINGS.map((ending) => `ebb.config.${ending}`);
    const [first, second] = names.filter((file) => existsSync(join(folder, file)));
    // To pick one silently would be a trap: the other is the one that is being edited.
    if (second) throw fault(`${folder} has ${first} and ${second}; keep one, or name one in EBB_CONFIG`);
    if (first) return join(folder, first);
  }
  return undefined;
}
