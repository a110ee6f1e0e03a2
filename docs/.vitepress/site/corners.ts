import type { MarkdownRenderer } from 'vitepress';

type Token = Parameters<NonNullable<MarkdownRenderer['renderer']['rules']['fence']>>[0][number];

/** Changes the tag of the cell that begins at an index. */
function retag(tokens: readonly Token[], at: number, tag: 'td' | 'th'): void {
  // A cell is three tokens: its start, its text, its end.
  for (const token of [tokens[at], tokens[at + 2]]) if (token !== undefined) token.tag = tag;
}

/**
 * Tables whose first header is empty have a name in front of each row. Those names become headers, so that a screen reader
 * reads out what a number belongs to. Empty cells of the first row are no headers.
 */
export function corners(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('corners', ({ tokens }) => {
    let hasCorner = false;
    for (const [at, token] of tokens.entries()) {
      const isFirst = tokens[at - 1]?.type === 'tr_open';
      if (token.type === 'table_open') hasCorner = false;
      if (token.type === 'th_open' && tokens[at + 1]?.content === '') {
        hasCorner ||= isFirst;
        retag(tokens, at, 'td');
      } else if (token.type === 'td_open' && isFirst && hasCorner) {
        retag(tokens, at, 'th');
        token.attrSet('scope', 'row');
      }
    }
  });
}
