import { ownImportsOf, packageOf, sources } from '../sources.ts';
import type { Figures } from './compare.ts';

/** How many files the longest chain of imports has, of those that start in one of the files. */
function longest(files: readonly string[], withTypes: boolean): number {
  const known = new Map<string, number>();
  const lengthOf = (path: string): number => {
    const found = known.get(path);
    if (found !== undefined) return found;
    // A circle ends here; the tests of the architecture refuse it.
    known.set(path, 0);
    const below = ownImportsOf(path, withTypes).map(lengthOf);
    const length = 1 + Math.max(0, ...below);
    known.set(path, length);
    return length;
  };
  return Math.max(...files.map(lengthOf));
}

/** The figures of CHAINS: how long a reader follows imports in a package. */
export function chainOf(name: string): Figures {
  const files = sources.filter((path) => packageOf(path) === name);
  return { types: longest(files, true), values: longest(files, false) };
}
