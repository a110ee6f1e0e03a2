import { homeOf, isType } from '../emitted/names.ts';
import { REQUEST_OPTIONS } from '../emitted/request-options.ts';
import { Bindings } from './bindings.ts';
import { findAll, type Node, namesIn, PLACEHOLDER, Source, stringOf } from './source.ts';

const NAME = new RegExp(`${PLACEHOLDER}(\\w+)`, 'g');

/** The lines that stay in front of all imports. */
const TOP = /^(#!.*\n|(['"])use \w+\2;?[ \t]*\n|\/\/(?! TODO\(ebb\)).*\n|\n)*/;

/** A statement that loads something. */
const LOAD = /^(import\b(?!\()|(const|let|var) .*\brequire\()/;

function placeholdersIn(text: string): string[] {
  return [...text.matchAll(NAME)].map(([, name = '']) => name);
}

/** A declaration in the style of a file. */
function styleLike(source: Source, declaration: string): string {
  return declaration
    .replaceAll("'", source.quote)
    .replaceAll(/;$/gm, source.semicolon)
    .replaceAll(/^( {2})+/gm, (lead) => source.indent.repeat(lead.length / 2));
}

/** The members of an import or a `require` of a package that is there already. */
function findImport(source: Source, from: string): { node: Node; members: string[] } | undefined {
  const imports = findAll(source.root, 'import_statement').filter(
    (one) => stringOf(one.field('source')) === from,
  );
  const lists = imports
    .filter((one) => !one.text().startsWith('import type'))
    .flatMap((one) => findAll(one, 'named_imports'));
  const patterns = findAll(source.root, 'variable_declarator').flatMap((one) => {
    const isOf = one.field('value')?.text().replaceAll('"', "'") === `require('${from}')`;
    return isOf ? findAll(one, 'object_pattern') : [];
  });
  const node = lists[0] ?? patterns[0];
  return node && { node, members: node.namedChildren().map((member) => member.text()) };
}

function byName(one: string, other: string): number {
  const bareName = (member: string): string => member.replace('type ', '').toLowerCase();
  return bareName(one) < bareName(other) ? -1 : 1;
}

/** A statement of the library without the names that the program does not use any more; `''` if none is left. */
function keptOf(source: Source, bindings: Bindings, statement: Node): string {
  const isUsed = (local: string): boolean =>
    namesIn(source.root, local).some((node) => !bindings.holds(node));
  const own = bindings.all.filter((binding) => binding.statement.id() === statement.id());
  const kept = own.filter(({ local }) => isUsed(local));
  if (kept.length === own.length) return statement.text();
  if (kept.length === 0 || statement.kind() !== 'import_statement')
    return kept.length === 0 ? '' : statement.text();
  const list = kept.map(({ specifier }) => specifier).filter(Boolean);
  const clauses = [
    ...kept.filter(({ specifier }) => specifier === '').map(({ local }) => local),
    ...(list.length > 0 ? [`{ ${list.join(', ')} }`] : []),
  ];
  const word = statement.text().startsWith('import type') ? 'import type' : 'import';
  return `${word} ${clauses.join(', ')} from ${source.quote}${bindings.library}${source.quote}${source.semicolon}`;
}

/**
 * Writes the imports and declarations that the edits ask for, and removes unused imports of the library.
 *
 * @param original the program before the edits
 * @param text the program after them, with placeholders
 */
export function finish(original: Source, text: string, library: string): string {
  const source = new Source(original.path, text);
  const bindings = new Bindings(source, library);
  const kept = new Map(bindings.statements.map((one) => [one.id(), keptOf(source, bindings, one)]));
  const isDeclaring = original.isTypeScript && original.hasRequestOptions;
  const declared = isDeclaring ? styleLike(original, REQUEST_OPTIONS) : '';
  const names = [...new Set([...placeholdersIn(text), ...placeholdersIn(declared)])];

  // A name that the program has for something else gets another one here.
  const gone = bindings.all
    .filter(({ statement }) => kept.get(statement.id()) === '')
    .map(({ local }) => local);
  const taken = new Set(
    namesIn(original.root)
      .map((node) => node.text())
      .filter((name) => !gone.includes(name)),
  );
  const own = new Map<string, string[]>();
  for (const name of names) {
    const home = homeOf(name);
    own.set(home, [...(own.get(home) ?? []), name]);
  }
  const there = new Map([...own.keys()].map((home) => [home, findImport(source, home)] as const));
  const isThere = (name: string): boolean =>
    there.get(homeOf(name))?.members.some((member) => member.replace('type ', '') === name) ?? false;
  const localOf = (name: string): string =>
    taken.has(name) && !isThere(name) && !isType(name)
      ? `ebb${name[0]?.toUpperCase()}${name.slice(1)}`
      : name;

  const { quote, semicolon, isCommonJs } = original;
  const statements: string[] = [];
  for (const [home, wanted] of [...own].sort()) {
    const members = wanted
      .filter((name) => !isThere(name))
      .map((name) => {
        const local = localOf(name);
        const as = isCommonJs ? `${name}: ${local}` : `${name} as ${local}`;
        return (isType(name) ? 'type ' : '') + (local === name ? name : as);
      });
    const found = there.get(home);
    const all = [...(found?.members ?? []), ...members].sort(byName).join(', ');
    if (found !== undefined) source.replace(found.node, `{ ${all} }`);
    else if (isCommonJs) statements.push(`const { ${all} } = require(${quote}${home}${quote})${semicolon}`);
    else {
      const list = wanted.every(isType) ? `type { ${all.replaceAll('type ', '')} }` : `{ ${all} }`;
      statements.push(`import ${list} from ${quote}${home}${quote}${semicolon}`);
    }
  }

  const place = bindings.statements.find((one) => one.parent()?.kind() === 'program');
  for (const statement of bindings.statements) {
    const isPlace = statement.id() === place?.id();
    const lines = [kept.get(statement.id()) ?? '', ...(isPlace ? statements : [])].filter(Boolean);
    if (lines.length === 0) source.remove(statement);
    else if (lines.join('\n') !== statement.text()) source.replace(statement, lines.join('\n'));
  }
  if (place === undefined && statements.length > 0) {
    const top = TOP.exec(text)?.[0].length ?? 0;
    const gap = LOAD.test(text.slice(top)) ? '' : '\n';
    source.insert(top, `${statements.join('\n')}\n${gap}`);
  }
  if (declared !== '') source.insert(text.length, `${text.endsWith('\n') ? '' : '\n'}\n${declared}\n`);
  return source.edited.replaceAll(NAME, (_, name: string) => localOf(name));
}
