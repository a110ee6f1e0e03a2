import type { Bindings } from '../file/bindings.ts';
import { findAll, type Node, namesIn, type Source, stringOf } from '../file/source.ts';

const LIBRARY = 'axios-retry';
/** Functions that load the library, or take its place in a test. */
const LOADERS = /^(require|import|require\.resolve|import\.meta\.resolve)$|^(jest|vi|mock|td)\.|^proxyquire/;

/** A place that has to do with the options of requests. */
export interface RequestPlace {
  readonly node: Node;
  /** The options that a request is given here; `undefined` if it is another use of their key. */
  readonly options?: Node;
  /** The object that they are set in, if they are set apart. */
  readonly target?: Node;
  /** True for a type, in which `ebb` stands already. */
  readonly isType?: boolean;
}

/** The place of a key; `undefined` if the node is no key. */
function placeOf(key: Node): RequestPlace | undefined {
  const parent = key.parent();
  if (parent === null) return undefined;
  const value = (name: string): Node | undefined => parent.field(name) ?? undefined;
  switch (String(parent.kind())) {
    case 'computed_property_name':
      return placeOf(parent);
    case 'pair': {
      const options = value('value');
      if (value('key')?.id() !== key.id()) return undefined;
      return options === undefined ? { node: parent } : { node: parent, options };
    }
    case 'subscript_expression':
      return ofSubscript(parent);
    case 'property_signature':
      return { node: parent, isType: true };
    case 'arguments':
      return isSetter(parent, key) ? { node: parent } : undefined;
    case 'pair_pattern':
    case 'binary_expression':
    case 'variable_declarator':
    case 'assignment_expression':
    case 'public_field_definition':
    case 'field_definition':
    case 'enum_assignment':
    case 'method_definition':
    case 'as_expression':
    case 'satisfies_expression':
      return { node: parent };
    default:
      return undefined;
  }
}

/** `config['axios-retry'] = { … }`, or another use of it. */
function ofSubscript(node: Node): RequestPlace {
  const set = node.parent();
  const target = node.field('object');
  const options = set?.field('right');
  const isSet =
    set?.kind() === 'assignment_expression' &&
    set.parent()?.kind() === 'expression_statement' &&
    set.field('left')?.id() === node.id();
  return isSet && options && target ? { node: set, options, target } : { node };
}

/** True for a key that comes after an object: `set(config, 'axios-retry', …)`. A label comes first. */
function isSetter(list: Node, key: Node): boolean {
  const called = list.parent()?.field('function')?.text() ?? '';
  return !LOADERS.test(called) && list.namedChildren()[0]?.id() !== key.id();
}

/** The places where requests have options of their own, the last first. */
export function requestPlaces(source: Source, bindings: Bindings): RequestPlace[] {
  const isKey = (node: Node): boolean =>
    node.kind() === 'template_string' ? node.text() === `\`${LIBRARY}\`` : stringOf(node) === LIBRARY;
  const keys = findAll(source.root, 'string', 'template_string').filter(isKey);
  const places = keys.flatMap((key) => placeOf(key) ?? []);
  // The library exports its key as well.
  const named = [...namesIn(source.root), ...findAll(source.root, 'member_expression')].filter(
    (node) =>
      bindings.named(node) === 'namespace' &&
      !bindings.holds(node) &&
      node.parent()?.kind() !== 'import_specifier',
  );
  return [...places, ...named.map((node) => placeOf(node) ?? { node })];
}

/** True for a node that a test inspects or replaces: the node sends nothing. */
export function isTested(node: Node): boolean {
  return node.ancestors().some((one) => {
    const called = one.kind() === 'call_expression' ? one.field('function')?.text() : undefined;
    return (
      /^(expect|assert(\.\w+)?|mocked|(jest|vi)\.\w+)$/.test(called ?? '') ||
      (one.kind() === 'as_expression' && /\bMock/.test(one.text()))
    );
  });
}

/** Writes a TODO above uses of the library that are no calls: a client may come of them. */
export function noteUnknownUses(source: Source, bindings: Bindings, calls: readonly Node[]): Node[] {
  const { root } = source;
  const isPart = /^(import_specifier|member_expression|nested_type_identifier|type_query)$/;
  const uses = [...namesIn(root), ...findAll(root, 'member_expression')].filter(
    (node) =>
      bindings.named(node) === 'default' &&
      !bindings.holds(node) &&
      node.kind() !== 'type_identifier' &&
      !isPart.test(String(node.parent()?.kind())) &&
      !calls.some((call) => call.field('function')?.id() === node.id()),
  );
  const exported = findAll(root, 'export_statement').filter(
    (one) => stringOf(one.field('source')) === LIBRARY && !/^export type\b/.test(one.text()),
  );
  const all = [...uses, ...exported, ...bindings.otherLoads(source)];
  for (const use of all) source.todo(use, `${LIBRARY} stays here: how it is used is not known`);
  return all;
}
