import { sourcesOf } from './imports.ts';
import type { Package } from './packages.ts';

/**
 * The chunk of each file that stands in more than one of the entries: `loop-1` and so on for what clients load, and `shared-1` and so on
 * for the rest, one for each level. A start is quicker with few files, and an import of a door needs most of what doors share.
 */
export function chunksOf(
  one: Package,
  entries: readonly { readonly name: string; readonly source: string }[],
): ReadonlyMap<string, string> {
  const shared = sourcesOf(one, entries).filter((file) => file.entries.size > 1);
  const levels = [...new Set(shared.map(({ level }) => level))];
  return new Map(
    shared.map(({ path, level, isOfClients }) => [
      path,
      `${isOfClients ? 'loop' : 'shared'}-${levels.indexOf(level) + 1}`,
    ]),
  );
}
