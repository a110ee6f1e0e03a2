import { Bindings } from '../file/bindings.ts';
import { finish } from '../file/imports.ts';
import { languageOf, Source, Stuck } from '../file/source.ts';
import { LIKE, RULES } from './rules.ts';

/** What became of a program. */
export interface Migrated {
  readonly text: string;
  /** How many places of the other libraries were rewritten. */
  readonly rewritten: number;
  /** What is left to do, by the line of its comment `TODO(ebb)` in the text. */
  readonly left: readonly { readonly line: number; readonly text: string }[];
}

const TODO = /TODO\(ebb\): (.*)/;

/** One library after the other. Each reads the text anew: places of several libraries may stand in one another. */
function migrateLibrary(path: string, text: string, library: string): { text: string; rewritten: number } {
  const rule = RULES[library];
  const blocked = new Map<string, string>();
  for (;;) {
    let source = new Source(path, text, library, blocked);
    const before = blocked.size;
    try {
      rule?.(source);
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
      // All of it stays.
      source = new Source(path, text, library);
      source.todo(new Bindings(source, library).statements[0] ?? source.root, error.message);
    }
    // A constant with options that a call which stays uses must stay as well.
    if (blocked.size > before) continue;
    const like = source.stuck > 0 && LIKE[library];
    if (like) {
      const other = new Source(path, text, library);
      like(other);
      if (other.stuck === 0)
        return { text: finish(other, other.edited, library, {}), rewritten: other.rewritten };
    }
    return {
      text: source.rewritten + source.stuck === 0 ? text : finish(source, source.edited, library),
      rewritten: source.rewritten,
    };
  }
}

/**
 * Rewrites a program so that it uses ebb in place of other libraries for retries and rates. What has no counterpart stays,
 * below a comment `TODO(ebb)`.
 *
 * @param path decides by its ending which language it is
 * @throws Error if the program cannot be parsed
 */
export function migrate(path: string, text: string): Migrated {
  // Lines are made to end as they did.
  const isCrLf = text.includes('\r\n');
  let result = { text: isCrLf ? text.replaceAll('\r\n', '\n') : text, rewritten: 0 };
  if (languageOf(path) !== undefined) {
    for (const library of Object.keys(RULES)) {
      if (!result.text.includes(library)) continue;
      const next = migrateLibrary(path, result.text, library);
      result = { text: next.text, rewritten: result.rewritten + next.rewritten };
    }
  }
  const lines = result.text
    .split('\n')
    .map((line, at) => ({ line: at + 1, text: TODO.exec(line)?.[1] ?? '' }));
  const ended = isCrLf ? result.text.replaceAll('\n', '\r\n') : result.text;
  return { ...result, text: ended, left: lines.filter((one) => one.text !== '') };
}
