import { Lang, parse, type SgNode } from '@ast-grep/napi';

export type Node = SgNode;

/** The grammar for a file; `undefined` if it is no program. TSX reads JavaScript as well, and TypeScript alone has casts `<T>x`. */
export function languageOf(path: string): Lang | undefined {
  if (/\.d\.[cm]?ts$/.test(path)) return undefined;
  if (/\.[cm]?ts$/.test(path)) return Lang.TypeScript;
  return /\.([cm]?js|jsx|tsx)$/.test(path) ? Lang.Tsx : undefined;
}

/** Words that the grammar does not know yet, which a tree can do without. */
const NEWER: readonly RegExp[] = [
  /(?<=\bexport\s+)type(?=\s*\*)/g,
  /(?<=\bimport\s+)(defer|source)(?=\s+(\*|[\w$]+\s+from\b))/g,
  /(?<=[<,]\s*)(in\s+)?out(?=\s+\w+\s*([,>=]|extends\b))/g,
];

const blank = (text: string): string => ' '.repeat(text.length);

function errorsIn(root: Node): Node[] {
  return root.findAll({ rule: { kind: 'ERROR' } });
}

/**
 * The tree of a program. Places in it are those of the text, though some of its words may be blanks.
 *
 * @returns `undefined` if its syntax is not understood
 */
export function treeOf(path: string, text: string): Node | undefined {
  const language = languageOf(path) ?? Lang.Tsx;
  let root = parse(language, text).root();
  let errors = errorsIn(root);
  if (errors.length === 0) return root;
  let read = NEWER.reduce((all, word) => all.replaceAll(word, blank), text);
  // The grammar takes `&` in a text of JSX for the start of an entity.
  for (let pass = 0; pass < 10; pass += 1) {
    root = parse(language, read).root();
    errors = errorsIn(root);
    if (errors.length === 0) return root;
    const letters = errors.flatMap((one) => {
      const at = one.text().indexOf('&');
      return at < 0 ? [] : [one.range().start.index + at];
    });
    if (letters.length === 0) return undefined;
    const parts = read.split('');
    for (const at of letters) parts[at] = '_';
    read = parts.join('');
  }
  return undefined;
}
