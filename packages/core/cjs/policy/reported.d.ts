import { type ThrottledReason } from '../base/errors.ts';
import type { FailureKind, Outcome, RequestTraits } from '../http/outcome.ts';
/** A request in an event. */
export interface ReportedRequest {
    /** In upper case. */
    readonly method: string;
    /** Without credentials, query and fragment. */
    readonly url: string;
}
/** The outcome of an attempt in an event. */
export type ReportedOutcome = {
    readonly type: 'response';
    readonly status: number;
} | {
    readonly type: 'failure';
    readonly kind: FailureKind;
    /** The code of the error or of one of its causes, else the name of the error. */
    readonly code?: string;
};
/** An error in an event: without its message, which may quote a URL or a header. */
export interface ReportedError {
    readonly name: string;
    readonly code?: string;
    /** Of a `ThrottledError`. */
    readonly reason?: ThrottledReason;
    /** Of a `ThrottledError`: how long the tokens would have taken, in milliseconds. */
    readonly waitMs?: number;
    /** Of a `HookError`: the option that failed. */
    readonly hook?: string;
}
export declare function reportedRequest({ method, url }: RequestTraits): ReportedRequest;
export declare function reportedOutcome(outcome: Outcome): ReportedOutcome;
export declare function reportedError(error: unknown): ReportedError;
//# sourceMappingURL=reported.d.ts.map