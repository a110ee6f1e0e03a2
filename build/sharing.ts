import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import type { Package } from './packages.ts';
import { targetOf, type Variant } from './variants.ts';

/** A statement that may import. */
interface Statement {
  readonly source?: { readonly value: string } | null;
  readonly importKind?: string;
  readonly exportKind?: string;
}

/** What a file of this package imports of it, less types: those are erased. */
function importsOf(path: string): string[] {
  const { body } = parseAst(readFileSync(path, 'utf8'), { lang: 'ts' });
  return (body as readonly Statement[]).flatMap(({ source, importKind, exportKind }) => {
    const isType = importKind === 'type' || exportKind === 'type';
    return source && !isType && /^[.#]/.test(source.value) ? [source.value] : [];
  });
}

/** The file that another one imports by `./path` or `#name`. */
export function resolved(from: string, importer: string, one: Package, variant: Variant): string {
  return from.startsWith('#')
    ? join(one.home, targetOf(from, one.manifest.imports ?? {}, variant))
    : join(dirname(importer), from);
}

/**
 * The variants that can share a file: those in which all that it imports, directly or through others, is the same. A file is
 * built once for them. What a file imports is shared by the same variants or more, so chunks of them import no circle.
 *
 * @returns the shared variants of a file in a variant, in the order of the package
 */
export function sharing(one: Package): (path: string, variant: Variant) => readonly Variant[] {
  const choices = one.variants.map((variant) => {
    const known = new Map<string, ReadonlySet<string>>();
    /** Each `#name` with its target that a file reaches. */
    const chosen = (path: string): ReadonlySet<string> => {
      const before = known.get(path);
      if (before !== undefined) return before;
      const found = new Set<string>();
      known.set(path, found);
      for (const from of importsOf(path)) {
        const target = resolved(from, path, one, variant);
        if (from.startsWith('#')) found.add(`${from} ${target}`);
        for (const choice of chosen(target)) found.add(choice);
      }
      return found;
    };
    for (const { source } of [...one.doors, ...one.programs]) chosen(source);
    return new Map([...known].map(([path, found]) => [path, [...found].sort().join()] as const));
  });
  return (path, variant) => {
    const mine = choices[one.variants.indexOf(variant)]?.get(path);
    return one.variants.filter((_, index) => choices[index]?.has(path) && choices[index].get(path) === mine);
  };
}
