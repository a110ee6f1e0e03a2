import type { FailureKind } from './outcome.ts';
/** The kind of failure that an error code stands for; `undefined` if it is not known. */
export declare function kindOfCode(code: string): FailureKind | undefined;
/** How deep a chain of causes is followed. A chain may be a ring. */
export declare const DEEPEST_CAUSE = 8;
/**
 * The code of an error or of one of its causes, else the name of the error; `undefined` if there is neither, or neither is
 * an identifier.
 */
export declare function codeOf(error: unknown): string | undefined;
/** The name of an error; `undefined` for anything else, and for a name that is not an identifier. */
export declare function nameOf(error: unknown): string | undefined;
//# sourceMappingURL=failure-code.d.ts.map