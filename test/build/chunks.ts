import { sourcesOf } from './imports.ts';
import type { Package } from './packages.ts';

/** The folders that import no limit or plugin. */
const BELOW_LIMITS = /\/src\/(?:backoff|base|bodies|call|events|http|nested|policy)\//;

/**
 * The chunk of each file that stands in more than one of the entries: `loop` for what clients load, and `shared` for the rest. With a
 * number for each level if a `#name` stays in what is built: modules behind it come between them. A start is quicker with few files,
 * and an import of a door needs most of what doors share.
 *
 * What the main door of an adapter alone has is in those for Node: each file that names core looks for it, which takes an eighth of a start.
 * What the main door of core alone has is in those as well: else webpack leaves the bucket in pages that do not use it. For the same
 * reason what knows no limit is `light`, such as `attemptsOf`.
 */
export function chunksOf(
  one: Package,
  entries: readonly { readonly name: string; readonly source: string }[],
  hasLevels: boolean,
): ReadonlyMap<string, string> {
  const sources = sourcesOf(one, entries);
  const main = entries.find(({ name }) => name === 'index')?.source ?? '';
  const hasClients = sources.some(({ isOfClients }) => isOfClients);
  const shared = sources.filter(
    (file) =>
      file.entries.size > 1 ||
      (file.entries.has(main) && (hasClients || !hasLevels)) ||
      (hasClients && file.isOfClients && !hasLevels),
  );
  const levels = [...new Set(shared.map(({ level }) => level))];
  return new Map(
    shared.map(({ path, level, isOfClients }) => {
      const isLight = hasLevels && BELOW_LIMITS.test(path);
      const name = isOfClients ? 'loop' : isLight ? 'light' : 'shared';
      return [path, hasLevels ? `${name}-${levels.indexOf(level) + 1}` : name];
    }),
  );
}
