import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..');

/** The names that `pnpm bench` takes. */
export function benches(): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && file !== 'run.ts');
  return files.map((file) => file.slice(0, -'.ts'.length));
}

/** True if a bench consists of parts. */
export function hasParts(bench: string): boolean {
  return existsSync(join(folder, bench));
}

/** The names of the parts of a bench that consists of parts: of the files in its folder. */
export function partsOf(bench: string): string[] {
  const files = readdirSync(join(folder, bench)).filter((file) => file.endsWith('.part.ts'));
  return files.map((file) => file.slice(0, -'.part.ts'.length));
}

export function pathOf(bench: string, part: string): string {
  return join(folder, bench, `${part}.part.ts`);
}
