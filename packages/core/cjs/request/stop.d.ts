import { ThrottledError } from '../base/errors.ts';
/** Why a request is not sent after the policy's `stopSignal` has aborted. */
export declare function stopped(): ThrottledError;
export declare function isStop(error: unknown): boolean;
/** What ends a wait. */
interface End {
    readonly signal: AbortSignal;
    /** To be called after the wait, so that nothing is left in a signal that lives as long as the program. */
    forget(): void;
}
/** Aborts with the reason of the caller's signal, or with {@link stopped}. */
export declare function abortOrStop(own: AbortSignal | undefined, stopSignal: AbortSignal): End;
export {};
//# sourceMappingURL=stop.d.ts.map