import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const root: string = join(import.meta.dirname, '../..');

/** The condition of `exports` that leads to the sources: within this repository alone. */
export const SOURCE = '@ebb/source';

/** The fields of a package.json that decide what is built. */
interface Manifest {
  readonly name: string;
  /** A door is declared by its source, and the build adds the rest. */
  readonly exports: Readonly<Record<string, string | { readonly [SOURCE]: string }>>;
  /** So is what a `#name` means, by condition. */
  readonly imports?: Readonly<Record<string, { readonly [SOURCE]: Readonly<Record<string, string>> }>>;
  readonly sideEffects: false | readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A file that users import or start. */
interface Door {
  /** The path of its outputs, without an extension: `index`, `adapter`. */
  readonly name: string;
  /** The absolute path of its source. */
  readonly source: string;
}

/** A package that is built. */
export interface Package {
  readonly home: string;
  readonly manifest: Manifest;
  readonly doors: readonly Door[];
  /** Programs of `bin`: ES modules without declarations. */
  readonly programs: readonly Door[];
}

/** The package of a package.json. */
export function packageAt(path: string): Package {
  const home = dirname(path);
  const manifest: Manifest = JSON.parse(readFileSync(path, 'utf8'));
  return {
    home,
    manifest,
    doors: Object.entries(manifest.exports).flatMap(([door, entry]) => {
      if (typeof entry === 'string') return [];
      return [{ name: door === '.' ? 'index' : door.slice(2), source: join(home, entry[SOURCE]) }];
    }),
    programs: Object.values(manifest.bin ?? {}).map((file) => {
      const name = basename(file, '.js');
      return { name, source: join(home, `src/${name}.ts`) };
    }),
  };
}

/** Whether loading a source does something. */
export function hasEffects({ home, manifest, programs }: Package, path: string): boolean {
  const named = manifest.sideEffects === false ? [] : manifest.sideEffects;
  return named.some((file) => join(home, file) === path) || programs.some(({ source }) => source === path);
}

/** Every package that is published. */
export function packages(): Package[] {
  return globSync('packages/*/package.json', { cwd: root })
    .sort()
    .map((path) => packageAt(join(root, path)));
}
