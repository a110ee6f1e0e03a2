import type { FailureKind, Outcome } from './outcome.ts';
/**
 * The kind of failure that an error reports: by the errors that it groups, by its cause, by its own code or name, and last
 * by the messages of the runtimes. Never throws, even if the getters of the error do.
 *
 * An abort by the caller cannot always be told from a timeout by the error alone: check the caller's signal first.
 */
export declare function failureKind(error: unknown, depth?: number): FailureKind;
/** True if it is certain that the attempt reached no server. After a redirect the first hop has reached one. */
export declare function neverSent(outcome: Outcome): boolean;
//# sourceMappingURL=failure.d.ts.map