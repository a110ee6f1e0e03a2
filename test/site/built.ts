import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root: string = join(import.meta.dirname, '../..');

export const dist: string = join(root, 'docs/.vitepress/dist');
export const stage: string = join(root, 'docs/.vitepress/stage');

/** A tag of a built page, with its attributes. Text has no `<` of its own there. */
export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>', '#39': "'" };

const decoded = (text: string): string =>
  text.replace(/&(amp|quot|lt|gt|#39);/g, (_, name: string) => ENTITIES[name] ?? '');

export function tagsOf(html: string): Tag[] {
  return [...html.matchAll(/<([a-z][\w-]*)((?:\s+[^\s"'>/=]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, name = '', text = '']) => {
      const pairs = [...text.matchAll(/([^\s"'>/=]+)="([^"]*)"/g)];
      return { name, attributes: new Map(pairs.map(([, key = '', value = '']) => [key, decoded(value)])) };
    },
  );
}

/** The built pages, by their paths in the site: `guide/retry.html`. */
export const htmls: ReadonlyMap<string, string> = new Map(
  globSync('**/*.html', { cwd: dist })
    .sort()
    .map((path) => [path, readFileSync(join(dist, path), 'utf8')]),
);
