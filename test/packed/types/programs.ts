import { copyFileSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** A folder with the programs beside the installed packages, each as `.mts`, `.cts` and `.ts`. */
export function programsFolder(): string {
  const folder = mkdtempSync(join(inject('folder'), 'programs-'));
  const sources = join(import.meta.dirname, 'users');
  for (const program of readdirSync(sources)) {
    const endings = program.endsWith('.ts') ? ['.ts', '.cts', '.mts'] : ['.cts'];
    for (const ending of endings) {
      copyFileSync(join(sources, program), join(folder, program.replace(/\.c?ts$/, ending)));
    }
  }
  return folder;
}
