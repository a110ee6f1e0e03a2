import type { Bindings } from './bindings.ts';
import { expressionOf } from './functions.ts';
import { bare, declarationsOf, type Node, namesIn, type Source, Stuck, statementOf } from './source.ts';

/** An option in an object literal. */
export interface Option {
  readonly key: string;
  readonly node: Node;
  /** Its value; for a method the method itself. */
  readonly value: Node;
}

export function optionsIn(object: Node): Option[] {
  return object.namedChildren().flatMap((node) => {
    const kind = String(node.kind());
    if (kind === 'comment') return [];
    if (kind === 'shorthand_property_identifier') return [{ key: node.text(), node, value: node }];
    if (kind === 'pair') {
      const key = node.field('key');
      if (key === null || key.kind() === 'computed_property_name')
        throw new Stuck(`the option ${node.text()} has no name`);
      return [{ key: key.text().replaceAll(/['"]/g, ''), node, value: node.field('value') as Node }];
    }
    if (kind === 'method_definition') return [{ key: node.field('name')?.text() ?? '', node, value: node }];
    return [{ key: '...', node, value: node.namedChildren()[0] as Node }];
  });
}

/** The option under another name, with the edits of its value. */
export function renameOption(source: Source, { value }: Option, key: string): string {
  return `${key}: ${expressionOf(source, value)}`;
}

/** The object literal that a `const` of the file holds. */
function constantNamed(source: Source, name: string): { declarator: Node; object: Node } | undefined {
  const found = declarationsOf(source, name);
  const [declarator] = found;
  const value = declarator?.field('value');
  if (found.length !== 1 || declarator === undefined || value === null || value === undefined)
    return undefined;
  const object = bare(value);
  return object.kind() === 'object' ? { declarator, object } : undefined;
}

/** Reads the options of a library at the places where they are given. */
export class OptionReader {
  readonly #source: Source;
  readonly #isUse: (node: Node) => boolean;

  constructor(source: Source, bindings: Bindings) {
    this.#source = source;
    this.#isUse = (node) => bindings.takes(node);
  }

  /**
   * The object literal that an expression is, or names.
   *
   * @throws Stuck if it is neither, or the program uses it for something else as well
   */
  objectOf(given: Node): Node {
    const node = bare(given);
    if (node.kind() === 'object') return node;
    const source = this.#source;
    const constant = node.kind() === 'identifier' ? constantNamed(source, node.text()) : undefined;
    if (constant === undefined) throw new Stuck(`its options come from elsewhere: ${node.text()}`);
    const { declarator, object } = constant;
    const reason = source.blocked.get(node.text());
    if (reason !== undefined) throw new Stuck(reason);
    if (statementOf(declarator).kind() === 'export_statement')
      throw new Stuck(`other files may use its options, ${node.text()}`);
    const others = namesIn(source.root, node.text()).filter(
      (name) => name.parent()?.id() !== declarator.id() && !this.#isUse(name),
    );
    if (others.length > 0) throw new Stuck(`the program also reads its options, ${node.text()}`);
    source.using.add(node.text());
    return object;
  }
}

/** Removes members of a list that stand in a row, with their commas. */
function removeRun(
  source: Source,
  run: readonly Node[],
  before: Node | undefined,
  after: Node | undefined,
): void {
  const [first, last] = [run[0]?.range().start.index ?? 0, run.at(-1)?.range().end.index ?? 0];
  const lead = /\n?[ \t]*$/.exec(source.text.slice(0, first))?.[0] ?? '';
  const rest = /^[ \t]*,?[ \t]*(\/\/[^\n]*)?(?=\n)/.exec(source.text.slice(last))?.[0];
  if (lead.startsWith('\n') && rest !== undefined)
    source.replaceRange(first - lead.length, last + rest.length, '');
  else if (after !== undefined) source.replaceRange(first, after.range().start.index, '');
  else if (before !== undefined) source.replaceRange(before.range().end.index, last, '');
  else
    source.replaceRange(first, last + (/^[ \t]*,?[ \t]*/.exec(source.text.slice(last))?.[0].length ?? 0), '');
}

/**
 * Edits the options in an object literal.
 *
 * @param first members that come before all others
 * @param translate returns the replacement of an option
 */
export function editObject(
  source: Source,
  object: Node,
  first: readonly string[],
  translate: (option: Option) => string | undefined,
): void {
  const options = optionsIn(object);
  let kept: Node | undefined;
  let run: Node[] = [];
  for (const option of options) {
    const { key, node } = option;
    const result = key === '...' ? node.text() : translate(option);
    if (result === undefined) {
      run.push(node);
      continue;
    }
    if (run.length > 0) removeRun(source, run, kept, node);
    run = [];
    kept = node;
    if (key !== '...') source.replace(node, result);
  }
  if (run.length > 0) removeRun(source, run, kept, undefined);

  if (first.length === 0) return;
  const after = object.range().start.index + 1;
  const gap = /^\s*/.exec(source.text.slice(after))?.[0] ?? '';
  const isEmpty = kept === undefined;
  if (gap.includes('\n'))
    source.insert(after, first.map((one) => `${gap.slice(gap.indexOf('\n'))}${one},`).join(''));
  else if (isEmpty) source.insert(after, ` ${first.join(', ')}${gap === '' ? ' ' : ''}`);
  else source.insert(after, first.map((one) => `${gap}${one},`).join('') + (gap === '' ? ' ' : ''));
}
