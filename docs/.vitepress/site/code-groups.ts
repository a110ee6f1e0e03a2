import type { MarkdownRenderer } from 'vitepress';

type Token = Parameters<NonNullable<MarkdownRenderer['renderer']['rules']['fence']>>[0][number];

/** True of a fence with a label, such as "```ts [axios]". */
const isLabelled = ({ type, info }: Token): boolean => type === 'fence' && /\[\w+\]$/.test(info.trim());

/** How many fences with labels follow each other from an index on. */
function lengthAt(tokens: readonly Token[], at: number): number {
  const length = tokens.slice(at).findIndex((token) => !isLabelled(token));
  return length < 0 ? tokens.length - at : length;
}

/**
 * Fences with labels that follow each other are versions of one program. They become a group of VitePress, with tabs: as
 * `::: code-group` does, without a mark in the Markdown. A fence that is alone stays as it is.
 */
export function codeGroups(markdown: MarkdownRenderer): void {
  markdown.core.ruler.after('block', 'code groups', (state) => {
    const { tokens } = state;
    const token = (end: 'open' | 'close', nesting: 1 | -1): Token =>
      Object.assign(new state.Token(`container_code-group_${end}`, 'div', nesting), { block: true });
    for (let at = 0; at < tokens.length; at += 1) {
      const length = lengthAt(tokens, at);
      if (length < 2) continue;
      tokens.splice(at + length, 0, token('close', -1));
      tokens.splice(at, 0, token('open', 1));
      at += length + 1;
    }
  });
  // The tabs are radio buttons, which a screen reader announces with the name of their group.
  const { rules } = markdown.renderer;
  const open = rules['container_code-group_open'];
  if (open === undefined) throw new Error('VitePress has no code groups');
  rules['container_code-group_open'] = (...args) =>
    open(...args).replace('class="tabs"', '$& role="radiogroup" aria-label="Client"');
}
