import { join } from 'node:path';
import { build } from 'vite';
import { root, stage } from './repository.ts';

/** The way back. On its own the playground has no pages around it. */
const HOME = '<p><a href="../index.html">The pages of ebb</a></p>';

/** Builds the playground into the files that the site publishes as they are. */
export async function buildPlayground(): Promise<void> {
  await build({
    configFile: join(root, 'examples/playground/vite.config.ts'),
    logLevel: 'warn',
    plugins: [{ name: 'ebb:home', transformIndexHtml: (html) => html.replace('</h1>', `</h1>${HOME}`) }],
    build: { outDir: join(stage, 'public/playground'), emptyOutDir: true },
  });
}
