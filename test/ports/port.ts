import type { ScriptName } from './scripts.ts';
import type { Program } from './world.ts';

/** A program as it is written with another library, and the same one with ebb. */
export interface Port {
  /** What it does, in the words of the library. */
  readonly shape: string;
  readonly original: Program;
  readonly ebb: Program;
  /** Why it differs, and in which scripts. */
  readonly differs?: { readonly because: string; readonly in: readonly ScriptName[] };
}
