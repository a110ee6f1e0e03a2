import { globSync, readFileSync } from 'node:fs';

/** A block of code on a page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** What the program or the scenario prints: the text after it, if only "It prints:" stands between the two. */
  readonly prints: string | undefined;
}

const BLOCK = /^```(\w*)\n(.*?)^```$/gms;
const PRINTS = /^\s*It prints(?:, above a legend)?:\s*```text\n(.*?)^```$/ms;

/** The pages whose code is tested: the READMEs, and all pages of the documentation but the generated ones. */
export function documentedPages(): string[] {
  return globSync(['README.md', '{packages/*,examples}/README.md', 'docs/**/*.md'], {
    exclude: ['**/node_modules/**', 'docs/.vitepress/**', 'docs/api/**'],
  }).sort();
}

/** The blocks of code on a page, with the lines that they start on. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(BLOCK)].map(({ index, 0: block, 1: language = '', 2: code = '' }) => {
    const line = text.slice(0, index).split('\n').length;
    const after = PRINTS.exec(text.slice(index + block.length));
    return { page, line, language, code, prints: after?.index === 0 ? after[1] : undefined };
  });
}
