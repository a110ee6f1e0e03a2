/** The text of Markdown in one line, without its marks. */
function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The first heading of a page. */
export function titleOf(text: string): string {
  return plain(/^# (.+?)(?: \{#\w+\})?$/m.exec(text)?.[1] ?? '');
}

/** The first sentence of a page. */
export function summaryOf(text: string): string {
  const paragraphs = text.split(/\n{2,}/);
  const first = paragraphs.find((paragraph) => /^[\p{L}`*[@]/u.test(paragraph)) ?? '';
  return /^.*?[.!?:](?= |$)/s.exec(plain(first))?.[0].replace(/:$/, '.') ?? '';
}

/** The description of a staged page. */
export function descriptionOf(text: string): string {
  const [, description = '""'] = /^---\n(?:.+\n)*?description: (".*")\n/.exec(text) ?? [];
  return JSON.parse(description) as string;
}
