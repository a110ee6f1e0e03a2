import { RolldownMagicString } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree, of any type. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A text that is put in at a place, or instead of what stands up to another. */
type Edit = readonly [at: number, text: string, until?: number];

const PURE = '/* @__PURE__ */ ';

/** LayersAround an expression that no comment can mark, such as one with a spread or a property access. */
const wrapped = ({ start, end }: Node): Edit[] => [
  [start, `${PURE}(() => (`],
  [end, '))()'],
];

const child = (node: Node, field: string): Node => node[field] as Node;
const children = (node: Node, field: string): Node[] => (node[field] ?? []) as Node[];

/** The edits of all nodes, or `undefined` if one of them cannot be marked. */
function allOf(nodes: readonly (Node | null | undefined)[]): Edit[] | undefined {
  const edits = nodes.map((node) => (node ? marks(node) : []));
  return edits.every((one) => one !== undefined) ? edits.flat() : undefined;
}

/** A class runs code when it is declared if it has a static block, a static value or a computed name. */
function isPlainClass(node: Node): boolean {
  const members = children(child(node, 'body'), 'body');
  const values = members.map((member) => (member.static === true ? child(member, 'value') : undefined));
  return (
    members.every(({ type, computed }) => type !== 'StaticBlock' && computed !== true) &&
    allOf([child(node, 'superClass'), ...values])?.length === 0
  );
}

/** What marks an expression as one that can be dropped if its value is not used, or `undefined` if nothing does. */
function marks(node: Node): Edit[] | undefined {
  switch (node.type) {
    case 'Literal':
    case 'Identifier':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [];
    case 'TemplateLiteral':
      return children(node, 'expressions').length === 0 ? [] : undefined;
    case 'UnaryExpression':
      return child(node, 'argument').type === 'Literal' ? [] : undefined;
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      return marks(child(node, 'expression'));
    case 'ArrayExpression':
      return allOf(children(node, 'elements'));
    case 'ObjectExpression':
      if (children(node, 'properties').some(({ computed }) => computed === true)) return undefined;
      return allOf(children(node, 'properties'));
    case 'Property':
      return marks(child(node, 'value'));
    case 'ConditionalExpression':
      return allOf([child(node, 'test'), child(node, 'consequent'), child(node, 'alternate')]);
    case 'LogicalExpression':
      return allOf([child(node, 'left'), child(node, 'right')]);
    case 'CallExpression':
    case 'NewExpression': {
      const edits = allOf(children(node, 'arguments'));
      return edits && [[node.start, PURE], ...edits];
    }
    case 'ClassExpression':
      return isPlainClass(node) ? [] : undefined;
    default:
      return undefined;
  }
}

/** What a static block does, as a statement after its class: the Babel preset of React Native knows no static block. */
function bodyOf({ start, end }: Node, code: string): string {
  const body = code.slice(start, end).replace(/^static\s*/, '');
  if (/\bthis\b/.test(body)) throw new Error(`a static block must name its class: ${body}`);
  return `${body} `;
}

/** A class that runs code when it is declared, as a constant that a bundler can drop. */
function constantOf(statement: Node, code: string): Edit[] {
  const { name } = child(statement, 'id') as unknown as { readonly name: string };
  const blocks = children(child(statement, 'body'), 'body').filter(({ type }) => type === 'StaticBlock');
  const moved = blocks.map((block) => bodyOf(block, code)).join('');
  return [
    [statement.start, `const ${name} = ${PURE}(() => { `],
    ...blocks.map(({ start, end }): Edit => [start, '', end]),
    [statement.end, ` ${moved}return ${name}; })();`],
  ];
}

function editsOf(statement: Node, code: string): Edit[] {
  if (statement.type === 'ExportNamedDeclaration') {
    const declared = statement.declaration as Node | null;
    return declared === null ? [] : editsOf(declared, code);
  }
  if (statement.type === 'VariableDeclaration') {
    const values = children(statement, 'declarations').map((one) => one.init as Node | null);
    return values.flatMap((value) => (value === null ? [] : (marks(value) ?? wrapped(value))));
  }
  if (statement.type === 'ClassDeclaration' && !isPlainClass(statement)) return constantOf(statement, code);
  return [];
}

/**
 * Marks all that a module computes when it is loaded as free of side effects, which `sideEffects: false` says of the module.
 * In a bundle of many modules only such marks let a user's bundler drop what a program does not use.
 */
export function marked(code: string): RolldownMagicString {
  const { body } = parseAst(code, { lang: 'ts' }) as unknown as { readonly body: readonly Node[] };
  const text = new RolldownMagicString(code);
  for (const [at, added, until] of body.flatMap((statement) => editsOf(statement, code))) {
    if (until === undefined) text.appendLeft(at, added);
    else text.remove(at, until);
  }
  return text;
}
