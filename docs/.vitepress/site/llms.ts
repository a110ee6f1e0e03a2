import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { address } from './address.ts';
import { replaceLinks } from './links.ts';
import { dist, stage } from './repository.ts';
import { type Group, groups } from './sidebar.ts';
import { descriptionOf, titleOf } from './summary.ts';

/** The Markdown of a staged page, with links to the Markdown of other pages. */
function markdownOf(route: string): string {
  const text = readFileSync(join(stage, `${route}.md`), 'utf8')
    .replace(/^---\n.*?\n---\n+/s, '')
    .replace(/ \{#[\w-]+\}$/gm, '');
  return replaceLinks(text, (link) => {
    if (link.startsWith('/')) return address + link.slice(1);
    // Pages of the reference link to each other by relative paths.
    return /^[a-z]+:|^#/.test(link) ? link : address + join(dirname(route), link);
  });
}

function entryOf(route: string): string {
  const text = readFileSync(join(stage, `${route}.md`), 'utf8');
  return `- [${titleOf(text)}](${address}${route}.md): ${descriptionOf(text)}`;
}

const listOf = ({ text, pages }: Group): string =>
  `## ${text}\n\n${pages.map(({ route }) => entryOf(route)).join('\n')}\n`;

/** Writes the pages for language models: their list, all in one file, and each as Markdown beside its HTML. */
export function writeLlms(): void {
  const home = readFileSync(join(stage, 'index.md'), 'utf8');
  const routes = groups.flatMap(({ pages }) => pages.map(({ route }) => route));
  writeFileSync(
    join(dist, 'llms.txt'),
    `# ${titleOf(home)}\n\n> ${descriptionOf(home)}\n\n${groups.map(listOf).join('\n')}`,
  );
  writeFileSync(join(dist, 'llms-full.txt'), routes.map(markdownOf).join('\n'));
  for (const staged of globSync('**/*.md', { cwd: stage })) {
    const route = staged.replace(/\.md$/, '');
    const path = join(dist, `${route}.md`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, markdownOf(route));
  }
}
