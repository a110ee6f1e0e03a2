import type { Bindings } from './bindings.ts';
import { expressionOf } from './functions.ts';
import {
  bare,
  declarationsOf,
  type Node,
  namesIn,
  PLACEHOLDER,
  type Source,
  Stuck,
  statementOf,
} from './source.ts';

/** An option in an object literal. */
export interface Option {
  readonly key: string;
  readonly node: Node;
  /** Its value; for a method the method itself. */
  readonly value: Node;
}

/** An option that has no counterpart, and stays as a comment. */
export class LeftOption {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
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
export function renamed(source: Source, { value }: Option, key: string): string {
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

/** Reads the options of a library at the places where they are given, each object literal once. */
export class OptionReader {
  readonly #source: Source;
  readonly #bindings: Bindings;
  readonly #translate: (object: Node) => void;
  readonly #isUse: (node: Node) => boolean;
  readonly #done = new Set<number>();

  /**
   * @param translate edits an object literal, which then holds options of a policy
   * @param isUse whether an argument or a spread takes options of this kind
   */
  constructor(
    source: Source,
    bindings: Bindings,
    translate: (object: Node) => void = () => {},
    isUse: (node: Node) => boolean = (node) => bindings.takes(node),
  ) {
    this.#source = source;
    this.#bindings = bindings;
    this.#translate = translate;
    this.#isUse = isUse;
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

  /** Translates the options, and returns the text that stands in their place. */
  read(given: Node): string {
    const object = this.objectOf(given);
    if (!this.#done.has(object.id())) {
      this.#done.add(object.id());
      this.#retype(object);
      for (const { key, value } of optionsIn(object)) if (key === '...') this.read(value);
      this.#translate(object);
    }
    return bare(given).kind() === 'object' ? this.#source.textOf(object) : given.text();
  }

  /** The type of a constant becomes that of ebb. */
  #retype(object: Node): void {
    const declarator = object.ancestors().find((one) => one.kind() === 'variable_declarator');
    if (declarator === undefined || bare(declarator.field('value') as Node).id() !== object.id()) return;
    const value = declarator.field('value') as Node;
    const types = [
      declarator.field('type')?.namedChildren()[0],
      value.kind() === 'object' ? undefined : value.namedChildren()[1],
    ];
    for (const type of types)
      if (
        type &&
        this.#bindings.named(type.kind() === 'generic_type' ? type.field('name') : type) !== undefined
      )
        this.#source.replace(type, `${PLACEHOLDER}PolicyOptions`);
  }

  /** The options of a place, including spread options: of two options with one key, the valid option comes first. */
  all(given: Node): Option[] {
    const options = optionsIn(this.objectOf(given)).reverse();
    return options.flatMap((option) => (option.key === '...' ? this.all(option.value) : [option]));
  }
}

/**
 * Makes a comment of an option: it has no counterpart, and must not get lost.
 *
 * @returns false if the option does not stand on lines of its own: the comment then belongs to the statement
 */
function leave(source: Source, { node }: Option, { reason }: LeftOption): boolean {
  source.leftFor = reason;
  const { start, end } = node.range();
  const lead = /[^\n]*$/.exec(source.text.slice(0, start.index))?.[0] ?? '';
  const comma = /^\s*,/.exec(source.text.slice(end.index))?.[0].length ?? 0;
  if (lead.trim() !== '') {
    source.todo(node, `${node.text().replaceAll(/\s+/g, ' ')}: ${reason}`);
    return false;
  }
  source.stuck += 1;
  const lines = source.text.slice(start.index, end.index + comma).split('\n');
  const comments = lines.map((line) => `// ${line.startsWith(lead) ? line.slice(lead.length) : line}`);
  source.replaceRange(
    start.index,
    end.index + comma,
    [`// TODO(ebb): ${reason}`, ...comments].join(`\n${lead}`),
  );
  return true;
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
  translate: (option: Option) => string | LeftOption | undefined,
): void {
  const options = optionsIn(object);
  let kept: Node | undefined;
  let run: Node[] = [];
  for (const option of options) {
    const { key, node } = option;
    const result = key === '...' ? node.text() : translate(option);
    const isLeft = result instanceof LeftOption && leave(source, option, result);
    if (result === undefined || (result instanceof LeftOption && !isLeft)) {
      run.push(node);
      continue;
    }
    if (run.length > 0) removeRun(source, run, kept, node);
    run = [];
    kept = node;
    if (typeof result === 'string' && key !== '...') source.replace(node, result);
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
