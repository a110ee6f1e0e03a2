import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The names of the rivals in a folder: those of its files. */
export function rivalsIn(folder: string): string[] {
  const files = readdirSync(join(import.meta.dirname, folder)).filter((file) => file.endsWith('.ts'));
  return files.map((file) => file.slice(0, -'.ts'.length)).sort();
}

/** What the file of a rival exports. Loads no other rival. */
export async function rival<T>(folder: string, name: string): Promise<T> {
  const module = (await import(join(import.meta.dirname, folder, `${name}.ts`))) as { readonly default: T };
  return module.default;
}
