import {
  bare,
  byText,
  findAll,
  type Node,
  namesIn,
  type Source,
  Stuck,
  statementOf,
  textToCompare,
} from '../file/source.ts';

/** The variable or member that holds the result of an expression: `limiter`, or `this.limiter`. */
export function holderOf(made: Node): string | undefined {
  const parent = made.parent();
  if (parent === null) return undefined;
  if (bare(parent).id() === made.id()) return holderOf(parent);
  if (parent.kind() === 'variable_declarator') {
    const name = parent.field('name');
    return name?.kind() === 'identifier' ? name.text() : undefined;
  }
  if (parent.kind() === 'assignment_expression') return textToCompare(parent.field('left') as Node);
  if (/field_definition$/.test(String(parent.kind())))
    return `this.${(parent.field('name') ?? parent.field('property'))?.text()}`;
  return undefined;
}

const EXPORTS = /^(module\.)?exports\b/;

/** True for a name in `export { name }`, `export default name`, or what `module.exports` gets. */
function isExport(name: Node): boolean {
  if (/^export_(specifier|statement)$/.test(String(name.parent()?.kind()))) return true;
  const set = name.ancestors().find((one) => one.kind() === 'assignment_expression');
  const right = set?.field('right');
  return (
    EXPORTS.test(set?.field('left')?.text() ?? '') &&
    [name.id(), name.parent()?.id(), name.parent()?.parent()?.id()].includes(right?.id())
  );
}

/** True if other files may use what holds the result of an expression. */
export function isShared(made: Node): boolean {
  if (statementOf(made).kind() === 'export_statement') return true;
  const holder = holderOf(made);
  if (holder === undefined) return false;
  return EXPORTS.test(holder) || namesIn(made.getRoot().root(), holder).some(isExport);
}

/** The places where a holder is used, without that where it is set. */
export function usesOf({ root }: Source, holder: string): Node[] {
  const all = findAll(root, 'identifier', 'member_expression', 'shorthand_property_identifier');
  return byText(all, holder, textToCompare).filter((node) => {
    const parent = node.parent();
    const isSet = parent?.field('name')?.id() === node.id() || parent?.field('left')?.id() === node.id();
    return (
      !isSet && !(parent?.kind() === 'member_expression' && parent.field('property')?.id() === node.id())
    );
  });
}

/**
 * Checks the calls of methods of a holder. Other uses do not matter.
 *
 * @throws Stuck for a method that is not one of some
 */
export function checkMethods(
  source: Source,
  holder: string,
  methods: RegExp,
  check: (call: Node) => void,
): void {
  for (const use of usesOf(source, holder)) {
    const member = use.parent();
    if (member?.kind() !== 'member_expression') continue;
    const method = member.field('property')?.text() ?? '';
    const call = member.parent();
    const isCall = call?.kind() === 'call_expression' && call.field('function')?.id() === member.id();
    if (!isCall || !methods.test(method)) throw new Stuck(`\`${holder}.${method}\` has no counterpart`);
    check(call);
  }
}
