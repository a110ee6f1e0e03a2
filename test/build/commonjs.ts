import { builtinModules } from 'node:module';
import { parseAst } from 'rolldown/parseAst';

interface Specifier {
  readonly type: string;
  readonly local: { readonly name: string };
  readonly imported?: { readonly name: string };
  readonly exported?: { readonly name: string };
}

interface Statement {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly source?: { readonly value: string } | null;
  readonly declaration?: unknown;
  readonly specifiers?: readonly Specifier[];
  readonly kind?: string;
  readonly declarations?: readonly { readonly id: { readonly name: string } }[];
}

const isBuiltin = (from: string): boolean => from.startsWith('node:') || builtinModules.includes(from);

/** `require` for an import statement. */
function required({ specifiers = [] }: Statement, from: string): string {
  const call = `require(${JSON.stringify(from)})`;
  if (specifiers.length === 0) return `${call};`;
  const names = specifiers.flatMap(({ imported, local }) => {
    if (imported === undefined) return [];
    return imported.name === local.name ? local.name : `${imported.name}: ${local.name}`;
  });
  const whole = specifiers.flatMap(({ type, local }) => {
    if (type === 'ImportNamespaceSpecifier') return [`${local.name} = ${call}`];
    if (type !== 'ImportDefaultSpecifier') return [];
    return [`${local.name} = ${call}${isBuiltin(from) ? '' : '.default'}`];
  });
  return `const ${[...whole, ...(names.length > 0 ? [`{ ${names.join(', ')} } = ${call}`] : [])].join(', ')};`;
}

/**
 * An ES module of the build as CommonJS. Only its imports and exports differ, so both formats behave and fail alike. Each line
 * stays where it is, so that errors name the same lines; what the first line gets before it must not matter.
 *
 * @param resolve what a module is called in CommonJS
 */
export function commonJs(code: string, resolve: (from: string) => string): string {
  const body = parseAst(code).body as unknown as readonly Statement[];
  const variables = body.filter(({ type, kind }) => type === 'VariableDeclaration' && kind !== 'const');
  const changing = new Set(
    variables.flatMap(({ declarations = [] }) => declarations.map(({ id }) => id.name)),
  );
  let [text, exported, place] = ['', '', 0];
  const replace = ({ start, end }: Statement, by: string): void => {
    text += code.slice(place, start) + by + code.slice(start, end).replace(/.+/g, '');
    place = end;
  };
  for (const statement of body) {
    const { type, source, specifiers = [], declaration } = statement;
    if (type === 'ImportDeclaration') replace(statement, required(statement, resolve(source?.value ?? '')));
    else if (type === 'ExportNamedDeclaration' && !source && !declaration) {
      replace(statement, '');
      for (const { local, exported: as } of specifiers) {
        exported += changing.has(local.name)
          ? `Object.defineProperty(exports, ${JSON.stringify(as?.name)}, { enumerable: true, get() { return ${local.name}; } });\n`
          : `exports.${as?.name} = ${local.name};\n`;
      }
    } else if (type === 'ExportNamedDeclaration' && source && !declaration) {
      const module = `require(${JSON.stringify(resolve(source.value))})`;
      const names = specifiers.map(
        ({ local, exported: as }) => `exports.${as?.name} = ${module}.${local.name};`,
      );
      replace(statement, names.join(' '));
    } else if (type.startsWith('Export')) throw new Error(`${type} has no CommonJS`);
  }
  const marker = 'Object.defineProperty(exports, "__esModule", { value: true });';
  return `"use strict"; ${marker} ${(text + code.slice(place)).trimEnd()}\n${exported}`;
}
