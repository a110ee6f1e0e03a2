import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from './pages.ts';
import { github, root } from './repository.ts';

/** What a link of a page leads to. */
export type Place =
  | { readonly kind: 'page'; readonly route: string; readonly anchor: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'other' };

const OWN = new RegExp(`^${github}/(?:blob|tree|raw)/main/`);
const RAW = `${github.replace('github.com', 'raw.githubusercontent.com')}/main/`;

/** The path in the repository that a link names, if it names one. */
function pathOf(target: string, source: string): string | undefined {
  if (OWN.test(target)) return target.replace(OWN, '');
  if (target.startsWith(RAW)) return target.slice(RAW.length);
  if (/^[a-z]+:|^\//.test(target)) return undefined;
  return target === '' ? source : join(dirname(source), target);
}

/** Finds the places of links between files, as GitHub understands them. */
export function locator(pages: readonly Page[]): (link: string, source: string) => Place {
  const routes = new Map(pages.map(({ source, route }) => [source, route]));
  // The home page is the first screen of README.md. The rest of it is on GitHub only.
  const routeOf = (path: string, anchor: string): string | undefined =>
    path === 'README.md' && anchor === ''
      ? 'index'
      : (routes.get(path) ?? routes.get(join(path, 'README.md')));
  return (link, source) => {
    const [, target = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(link) ?? [];
    const path = pathOf(target, source);
    if (path === undefined) return { kind: 'other' };
    const route = routeOf(path, anchor);
    if (route !== undefined) return { kind: 'page', route, anchor: anchor === '#readme' ? '' : anchor };
    if (!existsSync(join(root, path))) throw new Error(`${source} links to ${link}, which does not exist`);
    return { kind: 'file', path: path + anchor };
  };
}

/** The address of a file that is not a page. */
export function onGitHub(path: string): string {
  const isFolder = statSync(join(root, path.replace(/#.*/, ''))).isDirectory();
  return `${github}/${isFolder ? 'tree' : 'blob'}/main/${path.replace(/\/$/, '')}`;
}

const CODE = /(^```.*?^```$|``.*?``|`[^`\n]+`)/ms;
const LINK = /(?<image>!\[[^\]]*)?(?<start>\]\()(?<inline>[^)\s]+)|^(?<name>\[[^\]]+\]: )(?<defined>\S+)$/gm;

/** Replaces the targets of links and images, also of those that are defined at the end of the page, but not in code. */
export function replaceLinks(text: string, replace: (link: string, isImage: boolean) => string): string {
  const replaced = (part: string): string =>
    part.replace(LINK, (...found) => {
      const { image = '', start, inline, name, defined } = found.at(-1) as Record<string, string | undefined>;
      if (inline !== undefined) return `${image}${start}${replace(inline, image !== '')}`;
      return `${name}${replace(defined ?? '', false)}`;
    });
  return text
    .split(CODE)
    .map((part, at) => (at % 2 === 1 ? part : replaced(part)))
    .join('');
}
