import { diffArrays } from 'diff';

const BOM = '\ufeff';

/** A text without a byte order mark, in which all lines end in a line feed, and what gives another text those of this one. */
export interface PlainText {
  readonly text: string;
  /** Each line that stays ends as before; a new one as most lines do. */
  restore(changed: string): string;
}

/** Lines, and how each ends: the last does not. */
function linesOf(text: string): { lines: string[]; endings: (string | undefined)[] } {
  const parts = text.split('\n');
  const endings = parts.map((line, at) =>
    at === parts.length - 1 ? undefined : line.endsWith('\r') ? '\r\n' : '\n',
  );
  const lines = parts.map((line, at) => (endings[at] === '\r\n' ? line.slice(0, -1) : line));
  return { lines, endings };
}

export function plainText(original: string): PlainText {
  const bom = original.startsWith(BOM) ? BOM : '';
  const { lines, endings } = linesOf(original.slice(bom.length));
  const text = lines.join('\n');
  const restore = (changed: string): string => {
    if (changed === text) return original;
    const after = changed.split('\n');
    const crLf = endings.filter((ending) => ending === '\r\n').length;
    const usual = crLf * 2 > endings.length ? '\r\n' : '\n';
    if (crLf === 0 || crLf === endings.length - 1) return bom + after.join(usual);
    let at = 0;
    const endingOf = diffArrays(lines, after).flatMap(({ added, removed, count }) => {
      const from = at;
      if (!added) at += count;
      if (removed) return [];
      return Array.from({ length: count }, (_, index) => (added ? usual : endings[from + index]));
    });
    return (
      bom +
      after.map((line, index) => line + (index < after.length - 1 ? (endingOf[index] ?? usual) : '')).join('')
    );
  };
  return { text, restore };
}
