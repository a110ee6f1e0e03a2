import { globSync, readFileSync } from 'node:fs';

/** A block of code on a page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  /** Which of several versions of one program it is: the client of "```ts [axios]". */
  readonly label: string | undefined;
  readonly code: string;
  /** What the program or the scenario prints: the text after it and its other versions, if only "It prints:" stands between. */
  readonly prints: string | undefined;
}

const BLOCK = /^```(\w*)(?: \[(\w+)\])?\n(.*?)^```$/gms;
const PRINTS = /^\s*(?:It prints|Both print)(?:, above a legend)?:\s*```text\n(.*?)^```$/ms;

/** The pages whose code is tested: the READMEs, and all pages of the documentation but the generated ones. */
export function documentedPages(): string[] {
  return globSync(['README.md', '{packages/*,examples}/README.md', 'docs/**/*.md'], {
    exclude: ['**/node_modules/**', 'docs/.vitepress/**', 'docs/api/**'],
  }).sort();
}

/** The blocks of code on a page. Those that are versions of one program, one after the other, are together. */
export function groupsOf(page: string): Block[][] {
  const text = readFileSync(page, 'utf8');
  const groups: Block[][] = [];
  let end = 0;
  for (const [block, language = '', label, code = ''] of text.matchAll(BLOCK)) {
    const start = text.indexOf(block, end);
    const line = text.slice(0, start).split('\n').length;
    const last = groups.at(-1);
    const isVersion =
      label !== undefined && last?.[0]?.label !== undefined && text.slice(end, start).trim() === '';
    end = start + block.length;
    const after = PRINTS.exec(text.slice(end));
    const one = { page, line, language, label, code, prints: after?.index === 0 ? after[1] : undefined };
    if (isVersion)
      groups[groups.length - 1] = [...last.map((other) => ({ ...other, prints: one.prints })), one];
    else groups.push([one]);
  }
  return groups;
}

/** The blocks of code on a page, with the lines that they start on. */
export function blocksOf(page: string): Block[] {
  return groupsOf(page).flat();
}
