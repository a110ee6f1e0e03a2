import type { MarkdownRenderer } from 'vitepress';

/** The text of the last heading above a token. */
function headingAbove(
  tokens: Parameters<NonNullable<MarkdownRenderer['renderer']['rules']['fence']>>[0],
  at: number,
): string {
  const heading = tokens.slice(0, at).findLastIndex(({ type }) => type === 'heading_open');
  return tokens[heading + 1]?.content.replaceAll('`', '') ?? '';
}

/** Makes a `Diagram` of each fence with the language `mermaid`. */
export function diagrams(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, at, ...rest) => {
    const token = tokens[at];
    if (token?.info.trim() !== 'mermaid') return fence?.(tokens, at, ...rest) ?? '';
    const title = /^\s*accTitle: *(.+)$/m.exec(token.content)?.[1] ?? `Diagram: ${headingAbove(tokens, at)}`;
    const { escapeHtml } = markdown.utils;
    return `<Diagram code="${encodeURIComponent(token.content)}" label="${escapeHtml(title)}" />\n`;
  };
}
