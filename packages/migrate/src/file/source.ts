import { Edits } from './edits.ts';
import { type Node, treeOf } from './parse.ts';

export type { Node } from './parse.ts';

/** Why a part of a program stays as it is. The text of the TODO that is written above it. */
export class Stuck extends Error {}

/** Names of ebb and of helpers stand in edits as `ebb__NAME`, until the imports are written. */
export const PLACEHOLDER = 'ebb__';

/** The beginning of the comment above each task left to do. */
export const TODO = '// TODO(ebb): ';
/** Characters that end a comment of a line, or would be shown as something else: code in a TODO may have such characters. */
const BREAKS = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]+/gu;

/** How the places of a library in one program depend on other programs of the run. */
export interface Reach {
  /** Rewritten clients that requests of other programs may use. */
  moved: number;
  /** Clients, and options of requests, that stay. */
  kept: number;
  /** Places where a request may have options of its own. */
  requests: number;
  /** The names by which other programs may use what was rewritten. */
  readonly names?: string[];
}

/** A program, and the edits to it so far. An edit replaces those inside it: take their text by {@link textOf} first. */
export class Source {
  readonly path: string;
  /** Whose uses are rewritten. */
  readonly library: string;
  readonly text: string;
  readonly root: Node;
  /** Places that were rewritten. */
  rewritten = 0;
  /** Places that were not, or not wholly. */
  stuck = 0;
  /** True if requests have options of the library, which TypeScript must know. */
  hasRequestOptions = false;
  readonly reach: Reach & { readonly names: string[] } = { moved: 0, kept: 0, requests: 0, names: [] };
  /** Why places that change together with other programs stay; `undefined` if the places may change. */
  readonly held: string | undefined;
  #edits: Edits = new Edits();
  /** Where a TODO would stand for rewritten places, and for the other places. */
  readonly #changedAt = new Set<number>();
  readonly #stuckAt = new Set<number>();

  /** @throws Stuck if it cannot be parsed */
  constructor(path: string, text: string, library = '', held?: string) {
    this.path = path;
    this.library = library;
    this.text = text;
    this.held = held;
    const root = treeOf(path, text);
    if (root === undefined) throw new Stuck('its syntax is not understood');
    this.root = root;
    found.set(this.root, new Map());
  }

  get isTypeScript(): boolean {
    return /\.([cm]?ts|tsx)$/.test(this.path);
  }

  /** True for a program that loads by `require`. */
  get isCommonJs(): boolean {
    const isModule = ['import_statement', 'export_statement'].some((kind) =>
      this.root.has({ rule: { kind } }),
    );
    return !isModule && /\brequire\(|\bexports\b/.test(this.text);
  }

  get quote(): string {
    return (this.text.match(/"/g)?.length ?? 0) > (this.text.match(/'/g)?.length ?? 0) ? '"' : "'";
  }

  get semicolon(): string {
    return /;$/m.test(this.text) ? ';' : '';
  }

  get indent(): string {
    return /^(\t| {2,4})\S/m.exec(this.text)?.[1] ?? '  ';
  }

  /** The text of a node, with the edits inside it. */
  textOf(node: Node): string {
    const { start, end } = node.range();
    return this.#edits.applied(this.text, start.index, end.index);
  }

  replaceRange(start: number, end: number, text: string): void {
    this.#edits.replace(start, end, text);
  }

  replace(node: Node, text: string): void {
    const { start, end } = node.range();
    this.replaceRange(start.index, end.index, text);
  }

  insert(index: number, text: string): void {
    this.#edits.insert(index, text);
  }

  /** The text between the start of a line and a place in it. */
  leadOf(index: number): string {
    return this.text.slice(index === 0 ? 0 : this.text.lastIndexOf('\n', index - 1) + 1, index);
  }

  /** Removes a statement with its line. */
  remove(node: Node): void {
    const { start, end } = node.range();
    const lead = this.leadOf(start.index).match(/[ \t]*$/)?.[0].length ?? 0;
    const rest = /^[ \t]*\n/.exec(this.text.slice(end.index))?.[0].length ?? 0;
    this.replaceRange(start.index - lead, end.index + rest, '');
  }

  /**
   * Makes the edits of one place, or none of them and a TODO above it.
   *
   * @returns false if it is stuck
   */
  attempt(node: Node, edit: () => void): boolean {
    const before = this.#edits.copy();
    const stuck = this.stuck;
    try {
      edit();
      this.rewritten += 1;
      this.#changedAt.add(this.#placeAbove(node));
      return true;
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
      this.#edits = before;
      this.stuck = stuck;
      this.todo(node, `${this.library} stays here: ${error.message}`);
      return false;
    }
  }

  /** @throws Stuck if places that change together with other programs have to stay */
  mayMove(): void {
    if (this.held !== undefined) throw new Stuck(this.held);
  }

  /** Writes a TODO above the statement of a node, unless it stands there. */
  todo(node: Node, text: string): void {
    this.stuck += 1;
    const at = this.#placeAbove(node);
    this.#stuckAt.add(at);
    const comment = `${TODO}${text.replaceAll(BREAKS, ' ')}`;
    if (this.#todosAbove(at).some((line) => line.trim() === comment)) return;
    const lead = /^[ \t]*/.exec(this.text.slice(at))?.[0] ?? '';
    const isOnItsLine = at === 0 || this.text[at - 1] === '\n';
    this.insert(at, `${isOnItsLine ? lead : '\n'}${comment}\n`);
  }

  /** Removes the TODO of an earlier run above places that stayed then. */
  #dropTodos(): void {
    for (const at of this.#changedAt) {
      if (this.#stuckAt.has(at)) continue;
      const length = this.#todosAbove(at, `${this.library} stays here: `).join('\n').length;
      if (length > 0) this.replaceRange(at - length - 1, at, '');
    }
  }

  /** The lines right above a place that are a TODO which begins so. */
  #todosAbove(at: number, beginning = ''): string[] {
    const lines: string[] = [];
    for (let end = at - 1; end > 0 && this.text[end] === '\n'; ) {
      const line = this.leadOf(end);
      if (!line.trimStart().startsWith(TODO + beginning)) break;
      lines.unshift(line);
      end -= line.length + 1;
    }
    return lines;
  }

  /** Where a line can be put above a statement: at the start of its own line, unless the start is inside a text of several lines. */
  #placeAbove(node: Node): number {
    for (const one of [node, ...node.ancestors().slice(0, -1)]) {
      const { start } = statementOf(one).range();
      const lineStart = start.index === 0 ? 0 : this.text.lastIndexOf('\n', start.index - 1) + 1;
      if (this.text.slice(lineStart, start.index).trim() === '') return lineStart;
    }
    return statementOf(node).range().start.index;
  }

  /** The text with all edits. */
  get edited(): string {
    this.#dropTodos();
    return this.#edits.applied(this.text);
  }
}

/** The statement, or member of a class, that a node stands in. */
export function statementOf(node: Node): Node {
  const up = [node, ...node.ancestors()];
  const at = up.findIndex((_, index) => {
    const parent = up[index + 1];
    return (
      parent === undefined || /^(program|statement_block|class_body|switch_case)$/.test(String(parent.kind()))
    );
  });
  return up[at] ?? node;
}

/** The nodes of a program by their kinds: rules ask again for each place. */
const found = new WeakMap<Node, Map<string, readonly Node[]>>();

function search(root: Node, kinds: readonly string[]): Node[] {
  const nodes = root.findAll({ rule: { any: kinds.map((kind) => ({ kind })) } });
  const placed = nodes.map((node) => ({ node, at: node.range().start.index }));
  return placed.sort((one, other) => other.at - one.at).map(({ node }) => node);
}

/** All nodes of some kinds, the last first: inner nodes come before the nodes around them. */
export function findAll(root: Node, ...kinds: readonly string[]): readonly Node[] {
  const ofRoot = found.get(root);
  if (ofRoot === undefined) return search(root, kinds);
  const key = kinds.join();
  const known = ofRoot.get(key) ?? search(root, kinds);
  ofRoot.set(key, known);
  return known;
}

/** Nodes of a root by a text, so that a name is found without a look at all of them. */
const grouped = new WeakMap<readonly Node[], Map<string, Node[]>>();

export function byText(
  nodes: readonly Node[],
  name: string,
  textOf: (node: Node) => string,
): readonly Node[] {
  let groups = grouped.get(nodes);
  if (groups === undefined) {
    groups = new Map();
    for (const node of nodes) {
      const text = textOf(node);
      const group = groups.get(text);
      if (group === undefined) groups.set(text, [node]);
      else group.push(node);
    }
    grouped.set(nodes, groups);
  }
  return groups.get(name) ?? [];
}

/** The identifiers that name a variable or a type. */
export function namesIn(root: Node, name?: string): readonly Node[] {
  const kinds = [
    'identifier',
    'type_identifier',
    'shorthand_property_identifier',
    'shorthand_property_identifier_pattern',
  ];
  const all = findAll(root, ...kinds);
  return name === undefined ? all : byText(all, name, (node) => node.text());
}

/** The declarations of a variable or a function of a name. */
export function declarationsOf({ root }: Source, name: string): readonly Node[] {
  const all = findAll(root, 'function_declaration', 'variable_declarator');
  return byText(all, name, (one) => one.field('name')?.text() ?? '');
}

/** The same node, without parentheses, `await`, casts and `!` around it. */
export function bare(node: Node): Node {
  const kinds = /^(parenthesized_expression|as_expression|satisfies_expression|non_null_expression)$/;
  const inner = kinds.test(String(node.kind())) ? node.namedChildren()[0] : undefined;
  return inner === undefined ? node : bare(inner);
}

/** The text of a call's function or of a variable without `?.`, `!` and spaces, to compare. */
export function textToCompare(node: Node): string {
  return node.text().replaceAll('?.', '.').replaceAll(/[!\s]/g, '');
}

/** The arguments of a call. */
export function argumentsOf(call: Node): Node[] {
  return (call.field('arguments')?.namedChildren() ?? []).filter((node) => node.kind() !== 'comment');
}

/** The string that a node is. */
export function stringOf(node: Node | null | undefined): string | undefined {
  return node?.kind() === 'string' ? node.text().slice(1, -1) : undefined;
}
