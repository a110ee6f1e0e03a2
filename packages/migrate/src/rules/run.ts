import { Bindings } from '../file/bindings.ts';
import { finish } from '../file/imports.ts';
import { plainText } from '../file/lines.ts';
import { languageOf } from '../file/parse.ts';
import { type Reach, Source, Stuck, TODO } from '../file/source.ts';
import { RULES } from './rules.ts';
import { names, packageOf, TOGETHER } from './together.ts';

/** A program among those of a run. */
export interface Program {
  /** The ending of the path decides the language. */
  readonly path: string;
  readonly text: string;
  /** True if the file of the program will not be written: places that change together with it stay too. */
  readonly stays?: boolean;
}

/** The result of rewriting a program. */
export interface MigrationResult {
  readonly text: string;
  /** How many places of the other libraries were rewritten. */
  readonly rewritten: number;
  /** The tasks left to do, by the line of their comment `TODO(ebb)` in the text. */
  readonly left: readonly { readonly line: number; readonly text: string }[];
}

/** By library, why its places that change together in all programs stay. */
type HeldReasons = ReadonlyMap<string, string>;

interface Pass {
  readonly result: MigrationResult | Error;
  /** By library. */
  readonly reach: ReadonlyMap<string, Reach>;
}

interface Step {
  readonly text: string;
  readonly rewritten: number;
  readonly reach: Reach;
}

/** Rewrites the places of one library. Each library reads the text anew: places of several libraries may stand in one another. */
function migrateLibrary(path: string, text: string, library: string, held: string | undefined): Step {
  let source = new Source(path, text, library, held);
  try {
    RULES[library]?.(source);
  } catch (error) {
    if (!(error instanceof Stuck)) throw error;
    // All of it stays.
    const { requests } = source.reach;
    source = new Source(path, text, library);
    Object.assign(source.reach, { kept: 1, requests });
    source.todo(new Bindings(source, library).statements[0] ?? source.root, error.message);
  }
  const isSame = source.edited === text && !(source.isTypeScript && source.hasRequestOptions);
  return {
    text: isSame ? text : finish(source, source.edited, library),
    rewritten: source.rewritten,
    reach: source.reach,
  };
}

/** The possible links of an unchanged program to other programs, by its text alone. */
function reachOfText(text: string): Map<string, Reach> {
  const requests = text.includes('AbortError') ? 1 : 0;
  const libraries = Object.keys(RULES).filter((library) => names(text, library));
  return new Map(libraries.map((library) => [library, { moved: 0, kept: 1, requests }]));
}

function leftIn(text: string): MigrationResult['left'] {
  return text.split('\n').flatMap((line, at) => {
    const [, left] = line.split(TODO);
    return left ? [{ line: at + 1, text: left.trimEnd() }] : [];
  });
}

function migrateProgram(
  { path, text, stays }: Program,
  libraries: readonly string[],
  held: HeldReasons,
): Pass {
  if (stays) return { result: { text, rewritten: 0, left: [] }, reach: reachOfText(text) };
  const original = plainText(text);
  const reach = new Map<string, Reach>();
  let changed = original.text;
  let rewritten = 0;
  try {
    for (const library of languageOf(path) === undefined ? [] : libraries) {
      if (!names(changed, library)) continue;
      const step = migrateLibrary(path, changed, library, held.get(library));
      changed = step.text;
      rewritten += step.rewritten;
      reach.set(library, step.reach);
    }
    // The syntax of the changed text must still be understood.
    if (changed !== original.text) new Source(path, changed);
  } catch (error) {
    // A program without a library may have any syntax.
    const isConcerned = Object.keys(RULES).some((library) => names(text, library));
    const result = isConcerned ? (error as Error) : { text, rewritten: 0, left: [] };
    return { result, reach: reachOfText(text) };
  }
  return { result: { text: original.restore(changed), rewritten, left: leftIn(changed) }, reach };
}

/**
 * Rewrites programs that may be parts of one. Clients and the options of their requests, which may stand in different
 * programs, change together or not at all.
 *
 * @returns the result of each program in order, or the error of a program that could not be read
 */
export function migrateAll(programs: readonly Program[]): (MigrationResult | Error)[] {
  const libraries = Object.keys(RULES).filter((library) => programs.some(({ text }) => names(text, library)));
  const held = new Map<string, string>();
  for (;;) {
    const passes = programs.map((program) => migrateProgram(program, libraries, held));
    const before = held.size;
    for (const library of libraries) {
      const none: Reach = { moved: 0, kept: 0, requests: 0 };
      const reason = TOGETHER[packageOf(library)]?.heldBy(
        passes.map(({ reach }) => reach.get(library) ?? none),
        programs.map(({ text }) => text),
      );
      if (reason !== undefined && !held.has(library)) held.set(library, reason);
    }
    if (held.size === before) return passes.map(({ result }) => result);
  }
}
