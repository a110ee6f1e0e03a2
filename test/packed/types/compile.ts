import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type TypeScript from 'typescript6';
import { describe, expect, test } from 'vitest';
import { configOf, type Row } from './matrix.ts';
import { MISSPELT, PLACES } from './misspelt.ts';
import { programsFolder } from './programs.ts';

type Compiler = typeof TypeScript;

/** Parses each file once for all rows: most files belong to the standard library and `@types/node`. */
function readingOnce(ts: Compiler): (options: TypeScript.CompilerOptions) => TypeScript.CompilerHost {
  const read = new Map<string, TypeScript.SourceFile | undefined>();
  return (options) => {
    const host = ts.createCompilerHost(options);
    const { getSourceFile } = host;
    host.getSourceFile = (name, how, ...rest) => {
      const key = `${name} ${JSON.stringify(how, ['languageVersion', 'impliedNodeFormat', 'jsDocParsingMode'])}`;
      if (!read.has(key)) read.set(key, getSourceFile.call(host, name, how, ...rest));
      return read.get(key);
    };
    return host;
  };
}

/** The errors in the programs of a row, and in the declarations of ebb that they use. */
function complaints(
  ts: Compiler,
  folder: string,
  hostOf: ReturnType<typeof readingOnce>,
  config: object,
): string[] {
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(
    config,
    ts.sys,
    folder,
    undefined,
    `${folder}/tsconfig.json`,
  );
  const isOurs = (name: string): boolean => fileNames.includes(name) || name.includes('/@ebb/');
  const program = ts.createProgram(fileNames, options, hostOf(options));
  // Check the whole program: some errors of an augmentation are only found in the file that it augments.
  const found = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ].filter(({ file }) => file === undefined || isOurs(file.fileName));
  return found.map(({ file, start = 0, messageText }) => {
    const at =
      file &&
      `${file.fileName.slice(file.fileName.lastIndexOf('/programs-') + 1)}:${file.getLineAndCharacterOfPosition(start).line + 1}`;
    return `${at ?? ''} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

/** What is different for one compiler. */
interface Peculiarities {
  /** The newest library that it has. */
  readonly newest?: string;
  readonly options?: object;
  /** Errors that come from a limitation of this compiler. */
  readonly except?: RegExp;
}

/** Compiles the programs of each row with one compiler, which must find no error in them or in ebb's declarations. */
export function compileAll(ts: Compiler, rows: readonly Row[], peculiarities: Peculiarities = {}): void {
  const { newest, options, except = /^$/ } = peculiarities;
  const folder = programsFolder();
  const hostOf = readingOnce(ts);
  describe(`TypeScript ${ts.version}`, () => {
    test.for(rows)('%s, with the types of %s', (row) => {
      const found = complaints(ts, folder, hostOf, configOf(row, newest, options));
      expect(found.filter((complaint) => !except.test(complaint))).toEqual([]);
    });

    test('a misspelt option is one short error', () => {
      writeFileSync(join(folder, 'misspelt.mts'), MISSPELT);
      const config = { ...configOf(['nodenext', 'node'], newest, options), files: ['misspelt.mts'] };
      const found = complaints(ts, folder, hostOf, config).filter((complaint) => !except.test(complaint));
      expect(found).toHaveLength(PLACES);
      for (const complaint of found) {
        expect(complaint).toContain('maxRetries');
        expect(complaint.split('\n').length).toBeLessThanOrEqual(5);
      }
    });
  });
}
