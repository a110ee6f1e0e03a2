import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { base, sitemap } from './site/address.ts';
import { codeGroups } from './site/code-groups.ts';
import { corners } from './site/corners.ts';
import { diagrams } from './site/diagrams.ts';
import { figures } from './site/figures.ts';
import { locator } from './site/links.ts';
import { writeLlms } from './site/llms.ts';
import { findPages } from './site/pages.ts';
import { github, root } from './site/repository.ts';
import { weigh, wordsOf, wordsOfQuestion } from './site/search.ts';
import { sidebar } from './site/sidebar.ts';
import { slug } from './site/slug.ts';
import { stagePage } from './site/stage.ts';

const pages = findPages();

export default defineConfig({
  title: 'ebb',
  description: 'Retry with exponential backoff, and a client-side token bucket, for fetch, axios and undici.',
  lang: 'en',
  base,
  ...(sitemap && { sitemap }),
  srcDir: '.vitepress/stage',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: slug },
    // The default themes have too little contrast for comments.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(markdown) {
      diagrams(markdown);
      corners(markdown);
      figures(markdown);
      codeGroups(markdown);
    },
  },
  buildEnd: writeLlms,
  vite: {
    plugins: [
      {
        name: 'ebb:pages',
        // A change of a page in the repository is staged, which reloads it in the browser.
        configureServer({ watcher }) {
          watcher.add(pages.map(({ source }) => join(root, source)));
          watcher.on('change', (path) => {
            const page = pages.find(({ source }) => join(root, source) === path);
            if (page !== undefined) stagePage(page, locator(pages));
          });
        },
      },
    ],
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/guide/start' },
      { text: 'Strategies', link: '/strategies/' },
      { text: 'Packages', link: '/packages/core' },
      { text: 'API', link: '/reference/' },
      { text: 'Figures', link: '/figures' },
      { text: 'Playground', link: '/playground/index.html', target: '_self' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          options: { tokenize: wordsOf },
          searchOptions: { tokenize: wordsOfQuestion, boostDocument: weigh, combineWith: 'OR' },
        },
      },
    },
    socialLinks: [{ icon: 'github', link: github }],
    editLink: { pattern: ({ frontmatter }) => frontmatter.source, text: 'Edit this page on GitHub' },
    externalLinkIcon: true,
  },
});
