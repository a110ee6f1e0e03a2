import { HOME, TYPES } from '../emitted/names.ts';
import { SNIPPETS } from '../emitted/snippets.ts';
import { Bindings } from './bindings.ts';
import { findAll, type Node, namesIn, PLACEHOLDER, Source, stringOf } from './source.ts';

const NAME = new RegExp(`${PLACEHOLDER}(\\w+)`, 'g');

/** The lines that stay in front of all imports. */
const TOP = /^(#!.*\n|(['"])use \w+\2;?[ \t]*\n|\/\/(?! TODO\(ebb\)).*\n|\n)*/;

const PARAMETER = 'parameter_';

function placeholdersIn(text: string): string[] {
  return [...text.matchAll(NAME)].map(([, name = '']) => name).filter((name) => !name.startsWith(PARAMETER));
}

/** A snippet in the style of a file. */
function styleLike(source: Source, snippet: string): string {
  const text = snippet.replaceAll(/«([^»]*)»/g, source.isTypeScript ? '$1' : '');
  return text
    .replaceAll("'", source.quote)
    .replaceAll(/;$/gm, source.semicolon)
    .replaceAll(/^( {2})+/gm, (lead) => source.indent.repeat(lead.length / 2));
}

/** The snippets for a text, each after the snippets that it needs. */
function neededSnippets(source: Source, text: string): string[] {
  const needed: string[] = [];
  const visit = (name: string): void => {
    const snippet = SNIPPETS[name];
    if (snippet === undefined || needed.includes(name)) return;
    for (const inner of placeholdersIn(styleLike(source, snippet))) if (inner !== name) visit(inner);
    needed.push(name);
  };
  for (const name of [...placeholdersIn(text), ...(source.isTypeScript ? source.also : [])]) visit(name);
  return needed;
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
 * The last of the statements that load something, before anything of ebb is used: helpers must stand there by then.
 *
 * @param place the statement that loads ebb
 */
function lastLoading({ root }: Source, place: Node | undefined): Node | undefined {
  const statements = root.namedChildren();
  const firstUse = statements.findIndex((one) => one.text().includes(PLACEHOLDER));
  const atPlace = statements.findIndex((one) => one.id() === place?.id());
  const loads = statements
    .slice(0, firstUse < 0 ? undefined : Math.max(firstUse, atPlace + 1))
    .filter(
      (one) =>
        one.kind() === 'import_statement' ||
        (/^(lexical|variable)_declaration$/.test(String(one.kind())) && /\brequire\(/.test(one.text())),
    );
  return loads.at(-1);
}

/**
 * Writes the imports and helpers that the edits ask for, and removes unused imports of the library.
 *
 * @param original the program before the edits
 * @param text the program after them, with placeholders
 */
export function finish(original: Source, text: string, library: string): string {
  const source = new Source(original.path, text);
  const bindings = new Bindings(source, library);
  const kept = new Map(bindings.statements.map((one) => [one.id(), keptOf(source, bindings, one)]));
  const snippets = neededSnippets(original, text);
  const helpers = snippets.map((name) => styleLike(original, SNIPPETS[name] ?? '')).join('\n');
  const names = [...new Set([...placeholdersIn(text), ...placeholdersIn(helpers)])].filter(
    (name) => !snippets.includes(name),
  );

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
    const home = HOME[name] ?? TYPES[name] ?? '';
    own.set(home, [...(own.get(home) ?? []), name]);
  }
  const there = new Map([...own.keys()].map((home) => [home, findImport(source, home)] as const));
  const isThere = (name: string): boolean =>
    there
      .get(HOME[name] ?? TYPES[name] ?? '')
      ?.members.some((member) => member.replace('type ', '') === name) ?? false;
  const localOf = (name: string): string =>
    taken.has(name) && !isThere(name) && TYPES[name] === undefined
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
        return (TYPES[name] === undefined ? '' : 'type ') + (local === name ? name : as);
      });
    const found = there.get(home);
    const all = [...(found?.members ?? []), ...members].sort(byName).join(', ');
    if (found !== undefined) source.replace(found.node, `{ ${all} }`);
    else if (isCommonJs) statements.push(`const { ${all} } = require(${quote}${home}${quote})${semicolon}`);
    else {
      const isType = wanted.every((name) => TYPES[name] !== undefined);
      const list = isType ? `type { ${all.replaceAll('type ', '')} }` : `{ ${all} }`;
      statements.push(`import ${list} from ${quote}${home}${quote}${semicolon}`);
    }
  }

  const place = bindings.statements.find((one) => one.parent()?.kind() === 'program');
  const last = lastLoading(source, place);
  for (const statement of bindings.statements) {
    const isPlace = statement.id() === place?.id();
    const lines = [kept.get(statement.id()) ?? '', ...(isPlace ? statements : [])].filter(Boolean);
    if (lines.length === 0) source.remove(statement);
    else if (lines.join('\n') !== statement.text()) source.replace(statement, lines.join('\n'));
  }
  const head = place === undefined ? statements.join('\n') : '';
  const parts = [
    head,
    helpers && (last === undefined && head === '' ? helpers.trimStart() : `\n${helpers.trimStart()}`),
  ];
  const after = parts.filter(Boolean).join('\n');
  if (after !== '' && last !== undefined) source.insert(last.range().end.index, `\n${after}`);
  else if (after !== '') source.insert(TOP.exec(text)?.[0].length ?? 0, `${after}\n\n`);
  return source.edited.replaceAll(NAME, (_, name: string) =>
    name.startsWith(PARAMETER) ? name.slice(PARAMETER.length) : localOf(name),
  );
}
