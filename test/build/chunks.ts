import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { type Source, sourcesOf } from './imports.ts';
import type { Package } from './packages.ts';

/**
 * The most code of a chunk, in bytes. A tarball has the CommonJS of a chunk next to its ES module, and gzip, which looks 32 KiB
 * back, then stores what is equal in them once.
 */
const MOST_BYTES = 28_000;

const sizeOf = (path: string): number =>
  transformSync(readFileSync(path, 'utf8'), { loader: 'ts', minify: true }).code.length;

/** Cuts a list of files into pieces that are not too large. */
function cut(files: readonly Source[]): Source[][] {
  const pieces: Source[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const file of files) {
    const size = sizeOf(file.path);
    if (bytes + size > MOST_BYTES) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)?.push(file);
    bytes += size;
  }
  return pieces;
}

/** The chunk of each file that stands in none of the entries: `shared-1` and so on, or `testing/suite-1` if one entry needs it. */
export function chunksOf(
  one: Package,
  entries: readonly { readonly name: string; readonly source: string }[],
): ReadonlyMap<string, string> {
  const chunks = new Map<string, string>();
  const files = sourcesOf(one, entries);
  const levels = Map.groupBy(
    files.filter((file) => file.entries.size > 1),
    ({ level }) => level,
  );
  const shared = [...levels.values()].flatMap(cut);
  for (const [index, piece] of shared.entries()) {
    for (const { path } of piece) chunks.set(path, `shared-${index + 1}`);
  }
  for (const { name, source } of entries) {
    const own = cut(files.filter((file) => file.entries.size === 1 && file.entries.has(source)));
    for (const [index, piece] of own.slice(0, -1).entries()) {
      for (const { path } of piece) if (path !== source) chunks.set(path, `${name}-${index + 1}`);
    }
  }
  return chunks;
}
