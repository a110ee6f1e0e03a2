import type { MarkdownRenderer } from 'vitepress';

/** Lets a figure have the focus: on a phone it is wider than the page, and is moved aside also with the keyboard. */
export function figures(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('figures', ({ tokens }) => {
    for (const [at, token] of tokens.entries()) {
      const [image, ...others] = tokens[at + 1]?.children ?? [];
      const isFigure = token.type === 'paragraph_open' && image?.type === 'image' && others.length === 0;
      if (isFigure) token.attrSet('tabindex', '0');
    }
  });
}
