/** A file that is mutated. */
export interface Sized {
  readonly path: string;
  readonly size: number;
}

/**
 * The files of one of `parts` parts, which are about as large as each other. Whole files, so that no mutant is cut in two: each goes
 * to the part that has the least so far, the largest first.
 *
 * @param part such as `3/8`
 */
export function filesOfPart(files: readonly Sized[], part: string): string[] {
  const [number = 0, parts = 0] = part.split('/').map(Number);
  if (!(number >= 1 && number <= parts)) throw new RangeError(`a part is 1/8 to 8/8, got ${part}`);
  const all = Array.from({ length: parts }, () => ({ size: 0, paths: [] as string[] }));
  for (const { path, size } of [...files].sort((one, other) => other.size - one.size)) {
    const least = all.reduce((one, other) => (other.size < one.size ? other : one));
    least.size += size;
    least.paths.push(path);
  }
  return all[number - 1]?.paths ?? [];
}
