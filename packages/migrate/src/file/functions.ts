import { declarationsOf, type Node, namesIn, type Source, Stuck, textToCompare } from './source.ts';

const FUNCTION =
  /^(arrow_function|function_expression|function_declaration|method_definition|generator_function)$/;

export function isFunction(node: Node): boolean {
  return FUNCTION.test(String(node.kind()));
}

/** The function that an expression is, or names in its file. */
export function functionOf(source: Source, node: Node): Node | undefined {
  if (isFunction(node)) return node;
  if (!/identifier/.test(String(node.kind()))) return undefined;
  const named = declarationsOf(source, node.text());
  const [found] = named;
  if (named.length !== 1 || found === undefined) return undefined;
  const value = found.kind() === 'variable_declarator' ? found.field('value') : found;
  return value !== null && isFunction(value) ? value : undefined;
}

/** The names or patterns of the parameters. */
export function parametersOf(called: Node): Node[] {
  const single = called.field('parameter');
  if (single !== null) return [single];
  const list = called.field('parameters')?.namedChildren() ?? [];
  return list.filter((one) => one.kind() !== 'comment').map((one) => one.field('pattern') ?? one);
}

export function isAsync(called: Node): boolean {
  return called.children().some((child) => child.text() === 'async');
}

export function bodyOf(called: Node): Node {
  return called.field('body') as Node;
}

/** The longest chain of members that starts at a name: `error.response.status` of `error`. */
function chainAt(name: Node): Node {
  const parent = name.parent();
  const isObject = parent?.kind() === 'member_expression' && parent.field('object')?.id() === name.id();
  const isBang = parent?.kind() === 'non_null_expression';
  return parent !== null && (isObject || isBang) ? chainAt(parent) : name;
}

/** The members that a function reads of a parameter: `.status`, `.response.status`, or `` for the parameter itself. */
export function readsOf(called: Node, index: number): string[] {
  const parameter = parametersOf(called)[index];
  if (parameter === undefined) return [];
  if (parameter.kind() === 'object_pattern')
    return parameter.namedChildren().map((one) => `.${one.namedChildren()[0]?.text() ?? one.text()}`);
  if (parameter.kind() !== 'identifier')
    throw new Stuck(`the parameter ${parameter.text()} is not understood`);
  const name = parameter.text();
  return namesIn(bodyOf(called), name).map((node) => textToCompare(chainAt(node)).slice(name.length));
}
