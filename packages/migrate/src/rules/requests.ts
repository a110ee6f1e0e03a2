import { optionsIn } from '../file/options.ts';
import {
  bare,
  findAll,
  type Node,
  namesIn,
  type Source,
  Stuck,
  stringOf,
  textToCompare,
} from '../file/source.ts';

/** Options that a request has of fetch, or of a client around it. */
const OF_A_REQUEST =
  /^(url|path|method|headers|body|data|params|signal|timeout|credentials|mode|cache|redirect|keepalive|json|searchParams|prefixUrl|baseUrl|throwHttpErrors|hooks)$/;
/** Options that are passed on as options of a request. */
const PASSED_ON = /options|config|init|fetch|ky|request/i;
/** Packages whose functions have options of these names. */
const OTHERS =
  /^(axios-retry|async|async-retry|got|ofetch|p-retry|promise-retry|react-query|retry|swr|vitest)$|^@(tanstack|playwright|ebb)\//;
/** The methods that make a client of another client. */
const MAKES = /\.(extend|create)$/;

/** The name at the beginning of `api.users.get`. */
function rootOf(called: Node): string {
  return /^[\w$]*/.exec(textToCompare(called))?.[0] ?? '';
}

/** The packages that a file imports names from. */
function packagesOf({ root }: Source): Map<string, string> {
  const packages = new Map<string, string>();
  for (const one of findAll(root, 'import_statement')) {
    const from = stringOf(one.field('source'));
    if (from !== undefined) for (const name of namesIn(one)) packages.set(name.text(), from);
  }
  for (const one of findAll(root, 'variable_declarator')) {
    const [, , from] = /\brequire\((['"])([^'"]+)\1\)/.exec(one.field('value')?.text() ?? '') ?? [];
    const pattern = one.field('name');
    if (from !== undefined && pattern !== null)
      for (const name of namesIn(pattern)) packages.set(name.text(), from);
  }
  return packages;
}

/** Places that set an option apart: `init.retries = 0`. */
function settersOf({ root }: Source, keys: RegExp): Node[] {
  return findAll(root, 'assignment_expression').filter((one) => {
    const left = one.field('left');
    const isOption = left?.kind() === 'member_expression' && keys.test(left.field('property')?.text() ?? '');
    return isOption && PASSED_ON.test(left.field('object')?.text() ?? '');
  });
}

/**
 * Places that may be options of a request of a client elsewhere: objects with one of the keys, given to an unknown
 * function.
 *
 * @param isKnown true for what the rule of the library reads
 */
function mayBeRequests(source: Source, keys: RegExp, isKnown: (node: Node) => boolean): Node[] {
  const packages = packagesOf(source);
  const constants = new Set<string>();
  const isOther = (called: Node): boolean => OTHERS.test(packages.get(rootOf(called)) ?? '');
  const isGiven = (node: Node): boolean => {
    const parent = node.parent();
    switch (String(parent?.kind())) {
      case 'spread_element':
      case 'parenthesized_expression':
      case 'as_expression':
      case 'satisfies_expression':
      case 'ternary_expression':
      case 'binary_expression':
        return isGiven(parent as Node);
      case 'object':
        return isGiven(parent as Node);
      case 'arguments': {
        const call = parent?.parent();
        const called = call?.field('function');
        if (call?.kind() !== 'call_expression' || !called || isOther(called) || isKnown(node)) return false;
        const isFirst =
          parent
            ?.namedChildren()
            .find((one) => one.kind() !== 'comment')
            ?.id() === node.id();
        return !isFirst || MAKES.test(textToCompare(called)) || looksLikeOne(node);
      }
      case 'pair':
        return PASSED_ON.test(parent?.field('key')?.text() ?? '') || looksLikeOne(node);
      case 'variable_declarator': {
        const name = parent?.field('name');
        if (name?.kind() !== 'identifier' || constants.has(name.text())) return false;
        constants.add(name.text());
        const uses = namesIn(source.root, name.text()).filter((use) => use.id() !== name.id());
        return (
          uses.length === 0 || uses.some((use) => use.parent()?.kind() === 'export_specifier' || isGiven(use))
        );
      }
      default:
        return node.kind() === 'object' && looksLikeOne(node);
    }
  };
  const objects = findAll(source.root, 'object').filter((object) => {
    const own = namesOf(object);
    return own.some((key) => keys.test(key)) && !isKnown(object);
  });
  const given = objects.filter((object) => {
    constants.clear();
    return isGiven(object);
  });
  return [...given, ...settersOf(source, keys)];
}

/** Counts the places that may be requests of clients in other programs, and writes a TODO above them if those stay. */
export function noteRequests(source: Source, keys: RegExp, isKnown: (node: Node) => boolean): void {
  for (const object of mayBeRequests(source, keys, isKnown)) {
    source.reach.requests += 1;
    if (source.held !== undefined)
      source.todo(object, `${source.library} stays: this may be an option of one of its requests`);
  }
}

/** True for options of a request that are not all written where it is sent. */
export function isElsewhere(given: Node | undefined): boolean {
  if (given === undefined) return false;
  const object = bare(given);
  if (object.kind() !== 'object') return true;
  return optionsIn(object).some(({ key }) => key === '...');
}

function namesOf(object: Node): string[] {
  try {
    return optionsIn(object).map(({ key }) => key);
  } catch (error) {
    if (error instanceof Stuck) return [];
    throw error;
  }
}

/** True for an object with other options of a request, or with those of another object. */
function looksLikeOne(node: Node): boolean {
  const object = bare(node);
  return object.kind() === 'object' && namesOf(object).some((key) => key === '...' || OF_A_REQUEST.test(key));
}
