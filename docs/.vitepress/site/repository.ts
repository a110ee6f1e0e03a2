import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root: string = fileURLToPath(new URL('../../..', import.meta.url));

/** The pages as VitePress gets them: copies whose links lead to pages of the site. */
export const stage: string = join(root, 'docs/.vitepress/stage');

/** The built site. */
export const dist: string = join(root, 'docs/.vitepress/dist');

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  repository: { url: string };
};

/** The page of the repository, such as `https://github.com/ebb/ebb`. */
export const github: string = manifest.repository.url.replace(/^git\+(.+)\.git$/, '$1');
