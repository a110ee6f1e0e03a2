import { bare, findAll, type Node, type Source, statementOf, stringOf } from './source.ts';

/** A name that a file has for an export of a library. */
export interface Binding {
  /** `default`, a name, or `*` for all of them. */
  readonly exported: string;
  readonly local: string;
  readonly statement: Node;
  /** How a list of imports names it. */
  readonly specifier: string;
}

/** The object of `.default`. */
function withoutDefault(node: Node): Node {
  const object = node.field('property')?.text() === 'default' ? node.field('object') : null;
  return object === null ? node : bare(object);
}

/** The library that a `require` or an `await import` loads: also by `require(a).default || require(a)`. */
function loadedModule(node: Node): string | undefined {
  if (node.kind() === 'binary_expression') {
    const [left, right] = [node.field('left'), node.field('right')].map(
      (side) => side && loadedModule(withoutDefault(bare(side))),
    );
    return left === right ? (left ?? undefined) : undefined;
  }
  if (node.kind() === 'await_expression')
    return loadedModule(node.namedChildren()[0] ?? (node.child(0) as Node));
  if (node.kind() !== 'call_expression' || !/^(require|import)$/.test(node.field('function')?.text() ?? ''))
    return undefined;
  return stringOf(node.field('arguments')?.namedChildren()[0]);
}

function ofClause(clause: Node, statement: Node): Binding[] {
  switch (String(clause.kind())) {
    case 'identifier':
      return [{ exported: 'default', local: clause.text(), statement, specifier: '' }];
    case 'namespace_import':
      return [{ exported: '*', local: clause.namedChildren()[0]?.text() ?? '', statement, specifier: '' }];
    case 'import_specifier': {
      const exported = clause.field('name')?.text() ?? '';
      return [
        { exported, local: clause.field('alias')?.text() ?? exported, statement, specifier: clause.text() },
      ];
    }
    case 'import_clause':
    case 'named_imports':
    case 'import_require_clause':
      return clause.namedChildren().flatMap((inner) => ofClause(inner, statement));
    default:
      return [];
  }
}

function ofPattern(pattern: Node, exported: string, statement: Node): Binding[] {
  if (pattern.kind() === 'identifier') return [{ exported, local: pattern.text(), statement, specifier: '' }];
  return pattern.namedChildren().flatMap((member) => {
    if (member.kind() === 'shorthand_property_identifier_pattern')
      return [{ exported: member.text(), local: member.text(), statement, specifier: '' }];
    const [key, value] = member.namedChildren();
    if (member.kind() !== 'pair_pattern' || value?.kind() !== 'identifier') return [];
    return [{ exported: key?.text() ?? '', local: value.text(), statement, specifier: '' }];
  });
}

/** The names that a file imports of a library, or loads by `require`. */
export class Bindings {
  readonly library: string;
  readonly all: readonly Binding[];

  constructor({ root }: Source, library: string) {
    this.library = library;
    const imports = findAll(root, 'import_statement').filter((statement) => {
      const source = statement.field('source') ?? statement.find({ rule: { kind: 'string' } });
      return stringOf(source) === library;
    });
    const declared = findAll(root, 'variable_declarator').flatMap((declarator) => {
      const [name, value] = [declarator.field('name'), declarator.field('value')];
      if (name === null || value === null) return [];
      const object = withoutDefault(value);
      if (loadedModule(bare(object)) !== library) return [];
      return ofPattern(name, object !== value ? 'default' : '*', statementOf(declarator));
    });
    this.all = [
      ...imports.flatMap((statement) => statement.namedChildren().flatMap((one) => ofClause(one, statement))),
      ...declared,
    ];
  }

  /** Places that load the library, and do something else with it than to declare it, to call it or to take a member. */
  otherLoads({ root }: Source): Node[] {
    return findAll(root, 'call_expression').filter((call) => {
      if (loadedModule(call) !== this.library || this.holds(call)) return false;
      const isPromise = call.field('function')?.text() === 'import';
      let [inner, outer] = [call, call.parent()];
      while (outer !== null && /^(await|parenthesized)_expression$/.test(String(outer.kind())))
        [inner, outer] = [outer, outer.parent()];
      const kind = String(outer?.kind());
      if (kind === 'expression_statement') return false;
      if (isPromise && inner.id() === call.id()) return true;
      return kind !== 'member_expression' && outer?.field('function')?.id() !== inner.id();
    });
  }

  get statements(): Node[] {
    const byId = new Map(this.all.map(({ statement }) => [statement.id(), statement]));
    return [...byId.values()];
  }

  /** True for a place in one of its own statements. */
  holds(node: Node): boolean {
    const at = node.range().start.index;
    return this.statements.some((statement) => {
      const { start, end } = statement.range();
      return at >= start.index && at < end.index;
    });
  }

  /** The export that an expression or a type names. A whole CommonJS module counts as its default. */
  named(given: Node | null | undefined): string | undefined {
    if (given === null || given === undefined) return undefined;
    const node = bare(given);
    if (loadedModule(node) === this.library) return 'default';
    if (node.kind() === 'member_expression' || node.kind() === 'nested_type_identifier') {
      const [of, name] = node.namedChildren();
      const outer = this.named(of);
      return outer === 'default' ? name?.text() : undefined;
    }
    const exported = this.all.find(({ local }) => local === node.text())?.exported;
    return exported === '*' ? 'default' : exported;
  }

  /** The calls of an export, the inner ones first. */
  calls({ root }: Source, exported: string): Node[] {
    return findAll(root, 'call_expression', 'new_expression').filter((call) => {
      const called = call.field('function') ?? call.field('constructor');
      return called !== null && this.named(called) === exported && loadedModule(call) === undefined;
    });
  }
}
