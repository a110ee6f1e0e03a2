import { join } from 'node:path';
import { build } from 'vite';
import { root, stage } from './repository.ts';

/** Builds the playground into the files that the site publishes as they are. */
export async function buildPlayground(): Promise<void> {
  await build({
    configFile: join(root, 'examples/playground/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: join(stage, 'public/playground'), emptyOutDir: true },
  });
}
