import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { type Package, SOURCE } from './packages.ts';

/** What one `#name` of `imports` means, by condition. */
type Targets = Readonly<Record<string, string>>;

/** Conditions of tests: nothing that is published has them. */
const isForTests = (condition: string): boolean => condition.startsWith('ebb-');

/** The targets of each `#name` by condition, as they are for users: sources, without the conditions of tests. */
export function sourceTargets({ manifest }: Package): Readonly<Record<string, Targets>> {
  return Object.fromEntries(
    Object.entries(manifest.imports ?? {}).map(([name, conditions]) => {
      const targets = Object.entries(conditions[SOURCE]).filter(([condition]) => !isForTests(condition));
      return [name, Object.fromEntries(targets)];
    }),
  );
}

/** The output of a target, without an extension: `platform/node` of `./src/platform/node.ts`. */
export const outputOf = (target: string): string => target.replace(/^\.\/src\/(.*)\.ts$/, '$1');

/** The source that a `#name` means in Node. */
export function inNode(one: Package, name: string): string {
  const { node, default: other } = sourceTargets(one)[name] ?? {};
  const target = node ?? other;
  if (target === undefined) throw new Error(`\`imports\` has no target for ${name}`);
  return target;
}

/** A statement that may import. */
interface Statement {
  readonly source?: { readonly value: string } | null;
  readonly importKind?: string;
  readonly exportKind?: string;
}

/** What a file imports of its package, less types: those are erased. */
function importsOf(path: string): string[] {
  const { body } = parseAst(readFileSync(path, 'utf8'), { lang: 'ts' });
  return (body as readonly Statement[]).flatMap(({ source, importKind, exportKind }) => {
    const isType = importKind === 'type' || exportKind === 'type';
    return source && !isType && /^[.#]/.test(source.value) ? [source.value] : [];
  });
}

/** The door that clients import. What it reaches is apart, so that a client loads no limit and no preset. */
const CLIENTS_DOOR = '/adapter.ts';

/** A file of the package, as the build divides them. */
export interface Source {
  readonly path: string;
  /** The entries that it is part of. */
  readonly entries: ReadonlySet<string>;
  /** True if the door that clients import loads it, on any platform. */
  readonly isOfClients: boolean;
  /** 0 if it means the same everywhere; else one more than the highest level behind a `#name` that it reaches. */
  readonly level: number;
}

/**
 * The files of the entries, each after all that it imports. What stands behind a `#name` comes before the files that import that
 * name, so cutting the list anywhere makes chunks that import no circle.
 */
export function sourcesOf(one: Package, entries: readonly { readonly source: string }[]): Source[] {
  const levels = new Map<string, number>();
  const parts = new Map<string, Set<string>>();
  const targets = sourceTargets(one);
  const visit = (path: string): number => {
    const known = levels.get(path);
    if (known !== undefined) {
      if (Number.isNaN(known))
        throw new Error(`${path} imports itself, or stands behind a #name that it reaches`);
      return known;
    }
    levels.set(path, Number.NaN);
    const reached = importsOf(path).flatMap((from) => {
      if (!from.startsWith('#')) return [visit(join(dirname(path), from))];
      return Object.values(targets[from] ?? {}).map((target) => 1 + visit(join(one.home, target)));
    });
    const level = Math.max(0, ...reached);
    // Again, because a map has its keys in the order in which they came.
    levels.delete(path);
    levels.set(path, level);
    return level;
  };
  const mark = (path: string, entry: string): void => {
    const marks = parts.get(path) ?? new Set();
    if (marks.has(entry)) return;
    parts.set(path, marks.add(entry));
    for (const from of importsOf(path)) if (from.startsWith('.')) mark(join(dirname(path), from), entry);
  };
  const ofClients = new Set<string>();
  const load = (path: string): void => {
    if (ofClients.has(path)) return;
    ofClients.add(path);
    for (const from of importsOf(path)) {
      if (from.startsWith('.')) load(join(dirname(path), from));
      else for (const target of Object.values(targets[from] ?? {})) load(join(one.home, target));
    }
  };
  for (const { source } of entries) {
    visit(source);
    mark(source, source);
    if (source.endsWith(CLIENTS_DOOR)) load(source);
  }
  return [...levels]
    .map(([path, level]) => ({
      path,
      level,
      entries: parts.get(path) ?? new Set<string>(),
      isOfClients: ofClients.has(path),
    }))
    .sort((a, b) => a.level - b.level);
}
