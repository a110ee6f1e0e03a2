// Copies the pages of the repository to docs/.vitepress/stage, where VitePress reads them, and rewrites their links: to a page of the
// site if there is one, else to GitHub. Adds a page for each door from its docstrings, and the playground.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, createServer, serve } from 'vitepress';
import { base } from './site/address.ts';
import { locator } from './site/links.ts';
import { findPages } from './site/pages.ts';
import { buildPlayground } from './site/playground.ts';
import { writeReference } from './site/reference.ts';
import { stage } from './site/repository.ts';
import { stagePage } from './site/stage.ts';

const docs = fileURLToPath(new URL('..', import.meta.url));

/** Makes everything that VitePress reads. */
async function prepare(): Promise<void> {
  rmSync(stage, { recursive: true, force: true });
  const pages = findPages();
  const locate = locator(pages);
  for (const page of pages) stagePage(page, locate);
  await writeReference();
  await buildPlayground();
}

const [command] = process.argv.slice(2);
if (command === 'build') {
  await prepare();
  await build(docs);
} else if (command === 'dev') {
  await prepare();
  const server = await createServer(docs);
  await server.listen();
  server.printUrls();
} else if (command === 'preview') {
  await serve({ root: docs, base });
} else {
  throw new RangeError(`the command must be build, dev or preview, got ${command}`);
}
