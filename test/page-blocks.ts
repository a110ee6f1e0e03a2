import { readFileSync } from 'node:fs';

/** A block of code on a page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** The blocks of code on a page, with the lines that they start on. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => {
    return { page, line: text.slice(0, index).split('\n').length, language, code };
  });
}
