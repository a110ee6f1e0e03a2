import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PACKAGES } from '../emitted/names.ts';
import { RULES } from '../rules/rules.ts';
import { packageOf } from '../rules/together.ts';

/** A program before and after a run. */
export interface Change {
  /** Without links. */
  readonly real: string;
  readonly before: string;
  readonly after: string;
}

/** Lock files, and the commands of the package manager that writes each. */
const MANAGERS: Readonly<Record<string, readonly [add: string, remove: string]>> = {
  'package-lock.json': ['npm install', 'npm uninstall'],
  'pnpm-lock.yaml': ['pnpm add', 'pnpm remove'],
  'yarn.lock': ['yarn add', 'yarn remove'],
  'bun.lock': ['bun add', 'bun remove'],
  'bun.lockb': ['bun add', 'bun remove'],
};

/** Ranges without a version that `@ebb/axios` takes, which is 1.7.0 or later. */
const OLD_AXIOS = /^[\^~=v\s]*0\.|^[~=v\s]*1\.[0-6](\D|$)/;

/** The nearest folder, from that of a file upwards, in which a file of some name stands; `''` if there is none. */
function folderWith(name: string, path: string): string {
  const folder = dirname(path);
  if (existsSync(join(folder, name))) return folder;
  return folder === path ? '' : folderWith(name, folder);
}

/** The commands of the package manager whose lock file is nearest. */
function managerOf(path: string): readonly [add: string, remove: string] {
  const found = Object.entries(MANAGERS).map(([lock, commands]) => ({
    commands,
    at: folderWith(lock, path),
  }));
  const nearest = found.reduce((best, one) => (one.at.length > best.at.length ? one : best));
  return nearest.commands;
}

/** True for a text that loads a package, or a file of it. */
function loads(text: string, name: string): boolean {
  return new RegExp(`\\b(from|import|require)\\b[\\s(]*(['"\`])${name}(/[\\w./]+)?\\2`).test(text);
}

/** The programs of each package, by the folder of its package.json. */
function byPackage(programs: readonly Change[]): [folder: string, programs: Change[]][] {
  const packages = new Map<string, Change[]>();
  for (const program of programs) {
    const folder = folderWith('package.json', program.real);
    const own = packages.get(folder) ?? [];
    own.push(program);
    packages.set(folder, own);
  }
  return [...packages];
}

/** The commands that follow a run: they install what the programs of a package load now, and remove what none of them loads. */
export function commandsFor(programs: readonly Change[]): string[] {
  const libraries = [...new Set(Object.keys(RULES).map(packageOf))];
  return byPackage(programs).flatMap(([folder, own]) => {
    const changed = own.filter(({ before, after }) => before !== after);
    const added = PACKAGES.filter((name) => changed.some(({ after }) => loads(after, name)));
    const gone = libraries.filter(
      (library) =>
        changed.some(({ before }) => loads(before, library)) &&
        !own.some(({ after }) => loads(after, library)),
    );
    const [add, remove] = managerOf(own[0]?.real ?? '');
    const path = folder && relative(process.cwd(), folder);
    const enter = path === '' ? '' : `cd ${JSON.stringify(path)} && `;
    return [
      ...(added.length > 0 ? [`${enter}${add} ${added.join(' ')}`] : []),
      ...(gone.length > 0 ? [`${enter}${remove} ${gone.sort().join(' ')}`] : []),
    ];
  });
}

/** The tasks in package.json files, without which the programs do not work. */
export function tasksFor(programs: readonly Change[]): string[] {
  return byPackage(programs).flatMap(([folder, own]) => {
    if (folder === '' || !own.some(({ after }) => loads(after, '@ebb/axios'))) return [];
    const path = join(folder, 'package.json');
    const [, range = ''] = /"axios"\s*:\s*"([^"]*)"/.exec(readFileSync(path, 'utf8')) ?? [];
    return OLD_AXIOS.test(range)
      ? [`${path}: @ebb/axios takes axios 1.7.0 or later, and this is ${range}`]
      : [];
  });
}
