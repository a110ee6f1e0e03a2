import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type locator, onGitHub, replaceLinks } from './links.ts';
import type { Page } from './pages.ts';
import { github, root, stage } from './repository.ts';
import { summaryOf } from './summary.ts';

type Locate = ReturnType<typeof locator>;

/** Writes a file only if that changes it, because a development server reloads what is written. */
function write(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Makes a file of the repository a file of the site, at the same path. */
function publish(path: string): string {
  cpSync(join(root, path), join(stage, 'public', path));
  return `/${path}`;
}

/** The text of a page with links for the site: to pages by their routes, to other files on GitHub. */
function linked(text: string, { source }: Page, locate: Locate): string {
  return replaceLinks(text, (link, isImage) => {
    const place = locate(link, source);
    if (place.kind === 'other') return link;
    if (place.kind === 'page') return `/${place.route}.md${place.anchor}`;
    return isImage ? publish(place.path) : onGitHub(place.path);
  });
}

/** The fields at the start of a staged page. GitHub would show them as a table, so that the sources have none. */
export function frontmatter(fields: Readonly<Record<string, string | boolean>>): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join('')}---\n\n`;
}

/** Copies a page to where VitePress reads it. */
export function stagePage(page: Page, locate: Locate): void {
  const text = readFileSync(join(root, page.source), 'utf8');
  const fields = {
    description: summaryOf(text),
    source: `${github}/edit/main/${page.source}`,
    // The home page begins with a hero, which takes the width of the sidebars.
    ...(page.route === 'index' && { aside: false, sidebar: false, pageClass: 'home' }),
  };
  write(join(stage, `${page.route}.md`), frontmatter(fields) + linked(text, page, locate));
}
