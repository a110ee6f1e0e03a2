import type { MarkdownRenderer } from 'vitepress';

/** Makes cells without text in the first row of a table no headers, because there is nothing below that they name. */
export function corners(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('corners', ({ tokens }) => {
    for (const [at, token] of tokens.entries()) {
      if (token.type !== 'th_open' || tokens[at + 1]?.content !== '') continue;
      const close = tokens[at + 2];
      token.tag = 'td';
      if (close?.type === 'th_close') close.tag = 'td';
    }
  });
}
