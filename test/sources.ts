import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The source files of the packages, without their tests. */
export const sources: readonly string[] = globSync('packages/*/src/**/*.ts').filter(
  (path) => !/\.(test|bench|test-d)\.ts$/.test(path),
);

export const textOf: ReadonlyMap<string, string> = new Map(
  sources.map((path) => [path, readFileSync(path, 'utf8')]),
);

/** What a file imports or exports from elsewhere. */
interface Import {
  readonly from: string;
  /** True if nothing is left of it once the types are gone. */
  readonly isType: boolean;
}

const STATEMENT =
  /^(?:import|export)\b(?<names>[^;]*?)from '(?<named>[^']+)'|^import '(?<bare>[^']+)'|\bimport\('(?<dynamic>[^']+)'\)/gms;

function importsOf(path: string): Import[] {
  return [...(textOf.get(path) ?? '').matchAll(STATEMENT)].map(({ groups = {} }) => {
    const { names = '', named, bare, dynamic } = groups;
    return { from: named ?? bare ?? dynamic ?? '', isType: namesTypesAlone(names) };
  });
}

/** @param names what stands between `import` and `from` */
function namesTypesAlone(names: string): boolean {
  if (/^\s+type\b/.test(names)) return true;
  const [, list] = /^\s*\{(.*)\}\s*$/s.exec(names) ?? [];
  const all = list?.split(',').filter((name) => name.trim() !== '') ?? [];
  return all.length > 0 && all.every((name) => /^\s*type\s/.test(name));
}

/** The modules that a file imports. */
export function modulesOf(path: string): string[] {
  return importsOf(path).map(({ from }) => from);
}

export function packageOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** The files that an import of a package's own "imports", such as `#platform`, may mean. */
function variantsOf(path: string, from: string): string[] {
  const manifest = JSON.parse(readFileSync(`packages/${packageOf(path)}/package.json`, 'utf8')) as {
    imports?: Record<string, { readonly '@ebb/source': Record<string, string> }>;
  };
  const files = Object.values(manifest.imports?.[from]?.['@ebb/source'] ?? {});
  return [...new Set(files)].map((file) => join('packages', packageOf(path), file));
}

/** The files of the package that a file imports. */
export function ownImportsOf(path: string, withTypes = true): string[] {
  return importsOf(path).flatMap(({ from, isType }) => {
    if (isType && !withTypes) return [];
    if (from.startsWith('#')) return variantsOf(path, from);
    return from.startsWith('.') ? [normalize(join(dirname(path), from))] : [];
  });
}
