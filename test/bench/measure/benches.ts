import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const cwd = join(import.meta.dirname, '..');

/** The parts of each bench that consists of parts: the files in its folder. */
const PARTS: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  globSync('*/*.part.ts', { cwd }).sort(),
  dirname,
);

/** The names that `pnpm bench` takes. */
export function benches(): string[] {
  const files = globSync('*.ts', { cwd }).filter((file) => file !== 'run.ts');
  return [...files.map((file) => basename(file, '.ts')), ...PARTS.keys()].sort();
}

/** True if a bench consists of parts. */
export function hasParts(bench: string): boolean {
  return PARTS.has(bench);
}

/** The names of the parts of a bench that consists of parts. */
export function partsOf(bench: string): string[] {
  return (PARTS.get(bench) ?? []).map((file) => basename(file, '.part.ts'));
}

export function pathOf(bench: string, part: string): string {
  return join(cwd, bench, `${part}.part.ts`);
}
