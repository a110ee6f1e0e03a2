// The links of pages, and whether what they lead to is in the repository.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { repository } = JSON.parse(read('package.json')) as { repository: { url: string } };
const home = repository.url.replace(/^git\+(.+)\.git$/, '$1');

const withoutBlocks = (page: string): string => page.replace(/^```.*?^```$/gms, '');

/** The targets of a page's links and images, inline or defined at its end. */
export function linksIn(page: string): string[] {
  const text = withoutBlocks(page);
  const inline = text.matchAll(/\]\(([^)\s]+)\)/g);
  const defined = text.matchAll(/^\[[^\]]+\]: (\S+)$/gm);
  return [...inline, ...defined].map(([, target = '']) => target);
}

/** The names of links that a page does not define: they are shown as they are written. */
export function undefinedIn(page: string): string[] {
  const text = withoutBlocks(page).replace(/`[^`]*`/g, '');
  const defined = new Set([...text.matchAll(/^\[([^\]]+)\]: /gm)].map(([, name = '']) => name.toLowerCase()));
  const used = [...text.matchAll(/\]\[([^\]]+)\]/g)].map(([, name = '']) => name);
  return used.filter((name) => !defined.has(name.toLowerCase()));
}

/** The anchors that GitHub gives the headings of a page. */
export function anchorsIn(page: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutBlocks(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

/** The file and the anchor of a link into the repository, relative to the page or absolute; undefined for the rest. */
function locate(link: string, from: string): [file: string, anchor: string | undefined] | undefined {
  const [target = '', anchor] = link.split('#');
  const prefix = ['blob', 'tree', 'raw'].map((view) => `${home}/${view}/main/`);
  const absolute = prefix.find((start) => target.startsWith(start));
  if (absolute !== undefined) return [target.slice(absolute.length), anchor];
  if (/^[a-z]+:/.test(target)) return undefined;
  return [target === '' ? from : join(dirname(from), target), anchor];
}

/** What is wrong with a link of a page, if anything: it leads to a file or an anchor that the repository does not have. */
export function problemWith(link: string, from: string): string | undefined {
  const [file, anchor] = locate(link, from) ?? [];
  if (file === undefined) return undefined;
  if (!existsSync(join(root, file))) return 'no such file';
  if (anchor === undefined) return undefined;
  const page = statSync(join(root, file)).isDirectory() ? join(file, 'README.md') : file;
  return anchorsIn(read(page)).includes(anchor) ? undefined : 'no such anchor';
}
