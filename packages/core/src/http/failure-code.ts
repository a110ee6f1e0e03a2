import { CODES } from '#platform';
import { property } from '../base/property.ts';
import type { FailureKind } from './outcome.ts';

/** The kind of failure that an error code stands for; `undefined` if it is not known. */
export function kindOfCode(code: string): FailureKind | undefined {
  const kinds = Object.keys(CODES) as (keyof typeof CODES)[];
  return kinds.find((kind) => CODES[kind].split(' ').includes(code));
}

/** How deep a chain of causes is followed. A chain may be a ring. */
export const DEEPEST_CAUSE = 8;

/** Any other text could be anything, a URL with a key for instance, and codes go to logs. */
const IDENTIFIER = /^[\w.-]{1,64}$/;

/**
 * The code of an error or of one of its causes, else the name of the error; `undefined` if there is neither, or neither is
 * an identifier.
 */
export function codeOf(error: unknown): string | undefined {
  try {
    for (let at = error, depth = 0; depth < DEEPEST_CAUSE; depth += 1) {
      if (typeof at !== 'object' || at === null) break;
      const { code, cause } = at as { code?: unknown; cause?: unknown };
      if (typeof code === 'string' && IDENTIFIER.test(code)) return code;
      at = cause;
    }
    return nameOf(error);
  } catch {
    // The getters of some errors throw.
    return undefined;
  }
}

/** The name of an error; `undefined` for anything else, and for a name that is not an identifier. */
export function nameOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const name = property(error, 'name');
  return typeof name === 'string' && IDENTIFIER.test(name) ? name : undefined;
}
