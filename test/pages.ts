import { globSync } from 'node:fs';

/** The pages whose code runs in tests. docs/api has reports, which are compared with the packages. */
export const pages: string[] = globSync(['README.md', '{packages/*,examples}/README.md', 'docs/**/*.md'], {
  exclude: ['docs/api/**', 'docs/.vitepress/**', '**/node_modules/**'],
}).sort();

/** The languages of code that tests know. */
export const languages: ReadonlySet<string> = new Set(['ts', 'cjs', 'sh', 'js', 'text', 'json', 'mermaid']);
